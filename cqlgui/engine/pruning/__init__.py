"""Which games cannot match, decided from a few words kept for each game."""
