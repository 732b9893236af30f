"""Compiled routines about the board, for calls from generated code."""
