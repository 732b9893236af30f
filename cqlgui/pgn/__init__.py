"""Reads and writes PGN: archives, splitting into games, the fast and the lenient reader, the writer. This
package uses no SQL and no Qt."""
