"""The texts that users search with (queries, the library of queries, pasted text), and the files that a query
may use."""
