"""Queries made from bytes, and what must hold for each: the targets of the fuzzers and their quick form."""
