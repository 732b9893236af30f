"""The functions of a query that run only at hits: which elements matched, and all other details."""
