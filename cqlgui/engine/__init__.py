"""Searches packed games with machine code: replay, and queries compiled to one function a position."""
