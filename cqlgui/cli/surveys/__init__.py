"""Subcommands that survey whole bases: studies, duplicates, and compositions that anticipate others."""
