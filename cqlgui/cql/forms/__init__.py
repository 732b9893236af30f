"""The type, the printed form and the transform rule of each node, in one module for each family of
filters."""
