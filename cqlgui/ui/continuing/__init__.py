"""The pane with the moves that follow the hits of a result."""
