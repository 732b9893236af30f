"""Searches on a cluster: the same hits as on one computer, and what it costs."""
