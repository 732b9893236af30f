"""Patterns: what can be asked by pointing at a board, as data and as edits of a query's text.

Knows the language and the board, no games and no Qt. The window draws these data and reports what the user
did with them.
"""
