"""Reads and writes PGN: archives, splitting into games, the fast and the lenient reader, the writer. Does not
use SQL or Qt."""
