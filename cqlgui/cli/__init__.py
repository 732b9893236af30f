"""The command line without a window: one module for each subcommand. Results go to stdout; messages and
progress go to stderr. Qt is never loaded."""
