"""The language: text to checked tree, transforms and orbits, the reference interpreter.

Knows no files, SQL or Qt; what it needs of the world comes through `interpreting.runtime.host`.
"""
