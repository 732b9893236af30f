"""From an old text to its own tree."""
