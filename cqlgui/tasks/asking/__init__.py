"""The texts that users search with: queries, the library, pasted text; and the files a query may use."""
