"""Figures of speed: `python -m tests.perf` prints them; no timing is ever asserted."""
