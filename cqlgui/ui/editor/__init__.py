"""The query editor: text, colours, diagnostics, completion and files.

This package knows the query language, but not how a search works.
"""
