"""Numbers with their nouns, for messages."""

from __future__ import annotations


def counted(count: int, one: str, many: str) -> str:
    """A number with its noun: `1 game`, `20000 games`. The number has no separators, so that programs can
    read it."""
    return f"{count} {one if count == 1 else many}"


def games(count: int) -> str:
    """`1 game`, `2 games`."""
    return counted(count, "game", "games")


def positions(count: int) -> str:
    """`1 position`, `2 positions`."""
    return counted(count, "position", "positions")


def hits(count: int) -> str:
    """`1 hit`, `2 hits`."""
    return counted(count, "hit", "hits")
