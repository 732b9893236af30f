"""The query editor: the text, its colours, the diagnostics, the completion of words, and the files.

This package uses the query language, but is independent of the way a search works.
"""
