"""Colours, fonts, icons and the small widgets that all others are made of."""
