"""The reference interpreter: compiles a query to Python closures, and runs the closures over games."""
