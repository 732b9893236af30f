"""`cqlgui search`: from the arguments to the printed answers and the written files."""
