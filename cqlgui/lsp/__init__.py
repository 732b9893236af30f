"""The language server: what the window's editor knows about a query, for other editors, in the Language
Server Protocol (LSP 3.17). It reads no files and searches no games. The packages pygls and lsprotocol are
imported here alone."""
