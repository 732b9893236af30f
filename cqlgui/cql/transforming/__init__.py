"""Transforms (flip, shift, rotate ...): their geometry, their rule for each node, and the orbits that they
make."""
