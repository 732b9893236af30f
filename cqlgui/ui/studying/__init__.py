"""The pane of studies: many queries over several bases as one table."""
