"""The board: squares, men, directions, attacks, positions, moves, legality, notation and the game tree.

Everything that computes is a free function over plain integers and flat tables, so that a compiler for a
typed subset of Python can take it over unchanged; the classes are thin. Knows no files and no queries.
"""
