"""Drawing a query on the board: the gestures, the palette, the marks, the chips, and the controller that
edits the query."""
