"""Static checks: finds errors and doubtful constructs in a query text, and offers fixes."""
