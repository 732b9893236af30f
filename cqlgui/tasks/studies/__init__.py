"""Studies: many queries over several bases as one table."""
