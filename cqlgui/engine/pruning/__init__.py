"""Finds games that cannot match, from a short summary that is stored for each game."""
