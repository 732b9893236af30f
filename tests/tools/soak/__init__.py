"""The window under a long run of random queries, stopped at random: `python -m tests.tools.soak --help`."""
