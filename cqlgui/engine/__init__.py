"""Searches packed games with machine code: games are played again, and a query is compiled to one function of
a position."""
