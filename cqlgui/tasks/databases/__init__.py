"""Databases of games: opening, importing, reading, their sources and tags."""
