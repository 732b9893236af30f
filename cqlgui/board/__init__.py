"""The board: squares, men, directions, attacks, positions, moves, legality, notation and the game tree.

Everything that computes is a free function on plain integers and flat tables. A compiler for a typed subset
of Python can therefore use these functions unchanged. The classes are thin. Nothing here uses files or
queries.
"""
