"""The runtime of compiled closures: the state of an evaluation, its host, values, limits."""
