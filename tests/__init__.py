"""The test suite; a package so that `tests.helpers` and `python -m tests.perf` can be imported from the root."""
