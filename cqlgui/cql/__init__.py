"""The language: text to checked tree, transforms and orbits, the reference interpreter.

Does not use files, SQL or Qt. The interpreter asks about the world through `interpreting.runtime.host`.
"""
