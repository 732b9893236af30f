"""The language: from text to checked tree, transforms and their orbits, the reference interpreter.

This package does not use files, SQL or Qt. The interpreter gets data from outside through
`interpreting.runtime.host`.
"""
