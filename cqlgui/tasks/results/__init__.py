"""What tasks give back: hits, games, answers, progress."""
