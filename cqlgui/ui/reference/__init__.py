"""The library of themes, the history of queries, and help on keywords."""
