"""Closures of the filter families that build on the basic expressions."""
