"""The order of matching games in the output (output spec 4)."""

from __future__ import annotations

from collections.abc import Sequence

from cqlgui.cql.interpreting.expressions.closures import SortSpec

Key = int | str | None


def order(specs: Sequence[SortSpec], games: Sequence[tuple[int, Sequence[Key]]]) -> list[int]:
    """The numbers of the games in output order. Games are ordered by the first key, then by the next keys,
    and finally by number.

    Each `SortSpec` defines whether its key is sorted in descending order. A game without a value for a key
    comes after all games with a value for this key. The values of one key are all numbers or all strings.
    """
    ranked = sorted(games, key=lambda game: game[0])
    # The sorts are stable. The games are sorted by the least important key first, and by the most important
    # key last.
    for index in range(len(specs) - 1, -1, -1):
        having = [game for game in ranked if game[1][index] is not None]
        lacking = [game for game in ranked if game[1][index] is None]
        having.sort(key=lambda game, index=index: game[1][index], reverse=specs[index].descending)  # type: ignore[misc]
        ranked = having + lacking
    return [number for number, _ in ranked]
