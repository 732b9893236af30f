"""Games and positions that are alike: duplicates, and compositions that anticipate others."""
