"""Figures of speed: `python -m tests.tools.perf` prints them; no timing is ever asserted."""
