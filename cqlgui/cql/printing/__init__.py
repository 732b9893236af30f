"""Prints a syntax tree as the text of a query."""
