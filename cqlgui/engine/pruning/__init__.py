"""Which games cannot match, told from a few words kept for each game."""
