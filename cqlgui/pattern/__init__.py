"""Patterns: conditions that a user sets by pointing at a board, as data and as edits of a query's text.

This package uses the packages `cql` and `board`, but no games and no Qt. The window draws the patterns and
reports what the user did with them.
"""
