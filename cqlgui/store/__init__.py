"""The index files of a PGN source: packed moves, offsets, problems. Knows neither PGN text nor SQL nor Qt."""
