"""The syntax tree: classes of nodes, their types, and which kinds may be evaluated again without effect."""
