"""The index files of a PGN source: packed moves, offsets, problems. This package uses no PGN text, no SQL and
no Qt."""
