"""What compiled closures work on: the state of an evaluation, its host, values, limits."""
