"""A search from its plan to its result; also estimates, counts, facets of results and explanations."""
