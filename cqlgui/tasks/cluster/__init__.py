"""Searches that outgrow one computer: published bases, and the workers of a Dask cluster that search them."""
