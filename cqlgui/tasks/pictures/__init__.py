"""The numbers of pictures of a result: bars, maps of squares, orders of queries. No module here draws."""
