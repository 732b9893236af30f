"""Compiles filters to machine code, with one module for each family of filters."""
