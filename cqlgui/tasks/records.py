"""Hits as flat records, the same fields on the command line and in exported tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cqlgui.board import squares, tree
from cqlgui.tasks import games, model, sources

FIELDS = (
    "game",
    "positionid",
    "ply",
    "fen",
    "white",
    "black",
    "result",
    "date",
    "squares",
    "orbit",
    "value",
    "comment",
)


def records(
    base: model.Base, found: Iterable[model.GameHits], orbits: Sequence[model.Orbit]
) -> Iterator[dict[str, Any]]:
    """One record a hit.

    `orbit` lists the matching elements, the primary one first: orbit, element (counted from 0), transform,
    words and the position where it matched. `comment` is what the query writes there.
    """
    with sources.Readers(base) as readers:
        for hits in found:
            rows = games.rows(base, [hits.game])
            opened, place = readers.of(hits.game)
            played = tree.GameTree.decode(opened.index.start_fen(place), opened.index.moves(place))
            for hit in hits.hits:
                yield {
                    "game": hit.game,
                    "positionid": hit.positionid,
                    "ply": played.plies[hit.positionid],
                    "fen": played.positions[hit.positionid].fen(),
                    "white": rows[0].white if rows else "",
                    "black": rows[0].black if rows else "",
                    "result": rows[0].result if rows else "",
                    "date": rows[0].date if rows else "",
                    "squares": [squares.square_name(square) for square in squares.bits(hit.squares)],
                    "orbit": [
                        {
                            "orbit": match.orbit,
                            "element": match.element,
                            "transform": orbits[match.orbit].elements[match.element].transform,
                            "words": orbits[match.orbit].elements[match.element].words,
                            "positionid": match.positionid,
                        }
                        for match in hit.matches
                        if 0 <= match.orbit < len(orbits)
                    ],
                    "value": hit.value,
                    "comment": hits.comment_at(hit.positionid),
                }
