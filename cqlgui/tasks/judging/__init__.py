"""Positions judged by Syzygy tablebases and by an analysis engine, which are the user's own."""
