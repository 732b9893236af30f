"""The headless twin: one module a subcommand. Results go to stdout, messages and progress to stderr; Qt is
never loaded.
"""
