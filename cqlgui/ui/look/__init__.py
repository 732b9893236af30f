"""Colours, fonts, icons, and the small widgets that other widgets are made of."""
