"""The reference interpreter: compiles a tree to Python closures and runs them over games."""
