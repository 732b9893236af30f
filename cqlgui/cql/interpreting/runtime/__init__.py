"""The runtime of compiled closures: the state of an evaluation, the host, values, limits."""
