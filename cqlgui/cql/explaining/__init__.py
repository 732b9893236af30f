"""Explains why a position matches a query or does not."""
