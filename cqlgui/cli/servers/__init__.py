"""Subcommands that answer other programs over standard input and output until these end."""
