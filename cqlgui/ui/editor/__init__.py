"""The query editor: text, colours, diagnostics, completion and files.

Knows the language, not how a search works.
"""
