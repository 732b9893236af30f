"""Compiled routines about the board that generated code calls."""
