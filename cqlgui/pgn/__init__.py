"""Reading and writing PGN: archives, splitting into games, the lenient reader, the writer. Knows no SQL and
no Qt.
"""
