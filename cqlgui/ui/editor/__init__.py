"""The query editor: the text, its colours, the diagnostics, the completion of words, and the files.

This package knows the query language, but does not know how a search works.
"""
