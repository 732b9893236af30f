"""Packed files: unpacking them as a stream, and keeping their text in small packed frames."""
