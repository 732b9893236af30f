"""Asking by pointing at the board: gestures, palette, marks, chips, and what binds them to the query."""
