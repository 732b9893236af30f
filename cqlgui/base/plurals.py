"""Numbers with their nouns, and shares in percent, for messages and tables."""

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


def percent(share: float, digits: int = 0) -> str:
    """A share from 0 to 1 in percent, with so many digits after the point: `25%`, `0.7%`. A share that is not
    zero is never shown as zero, but as `<1%` or `<0.1%`. A share that is less than 1 is never shown as the
    whole, but as `>99%` or `>99.9%`."""
    text = f"{share:.{digits}%}"
    shown, step = float(text[:-1]), 10.0**-digits
    if shown == 0 and share > 0:
        return f"<{step:.{digits}f}%"
    if shown == 100 and share < 1:
        return f">{100 - step:.{digits}f}%"
    return text
