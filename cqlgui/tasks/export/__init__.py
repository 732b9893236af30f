"""Games and tables written to files."""
