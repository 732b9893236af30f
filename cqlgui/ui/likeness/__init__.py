"""Games and positions that are alike: the panes of duplicates and of anticipations, and new bases."""
