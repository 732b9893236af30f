"""The syntax tree: classes of nodes, their types, and which filters may be evaluated again without effect."""
