"""The catalog in SQLite: what the program knows about sources, bases and games' headers. Knows no query's
meaning and no Qt.
"""
