"""The syntax tree: the classes of nodes, the types of filters, and the filters that may be evaluated
repeatedly."""
