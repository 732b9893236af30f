"""Drawing a query on the board: gestures, palette, marks, chips, and the controller that edits the query."""
