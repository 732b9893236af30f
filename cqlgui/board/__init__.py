"""The board: squares, men, directions, attacks, positions, moves, legality, notation and the game tree.

All computations are free functions on plain integers and flat tables. A compiler for a typed subset of Python
can therefore use these functions unchanged. The classes add little to the functions. This package uses no
disk files and no CQL queries.
"""
