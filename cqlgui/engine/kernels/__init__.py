"""Compiled routines about the board, which generated code calls."""
