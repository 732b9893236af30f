"""Finds games that cannot match, from a few words kept for each game."""
