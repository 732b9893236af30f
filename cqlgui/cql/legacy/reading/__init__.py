"""Reads a script of an old dialect into a syntax tree."""
