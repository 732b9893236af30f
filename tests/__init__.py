"""The test suite: a package, so that `tests.helpers` and `python -m tests.tools.perf` are found."""
