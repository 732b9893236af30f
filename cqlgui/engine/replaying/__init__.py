"""Turns games on disk into positions in memory, and runs compiled queries over these positions."""
