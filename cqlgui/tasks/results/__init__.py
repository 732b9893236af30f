"""The data types that tasks return: bases, hits, searches, explanations, entries."""
