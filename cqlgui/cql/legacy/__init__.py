"""Queries of CQL 1 to 3 and CQL-S, translated to CQL 6."""
