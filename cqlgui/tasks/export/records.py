"""The fields of a hit in CSV and JSON lines. The command line and exported tables use the same fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cqlgui.board import motions, squares, tree
from cqlgui.cql.transforming import words
from cqlgui.tasks.databases import games, sources
from cqlgui.tasks.export import framing
from cqlgui.tasks.results import base_model, hit_model

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


NORMALISED_FIELDS = (*FIELDS, framing.MOVES, framing.NORMALISED)
"""The fields of records in the query's own frame."""


def records(
    base: base_model.Base,
    found: Iterable[hit_model.GameHits],
    orbits: Sequence[hit_model.Orbit],
    *,
    normalise: bool = False,
) -> Iterator[dict[str, Any]]:
    """One record for each hit.

    `orbit` lists the matching elements, the primary element first. Each entry has the number of the orbit and
    the number of the element (both counted from 0), the element's transform, a description of the transform
    in words, and the position where the element matched.
    `comment` is what the query writes at the hit's position.

    With `normalise`, FEN and squares are given in the query's frame. `moves` are the moves after the hit, in
    the query's frame. `normalised` says in words how the transform was undone; it is None if no motion undoes
    the transform.
    """
    with sources.Readers(base) as readers:
        for hits in found:
            rows = games.rows(base, [hits.game])
            opened, place = readers.of(hits.game)
            played = tree.GameTree.decode(opened.index.start_fen(place), opened.index.moves(place))
            for hit in hits.hits:
                element = framing.element_of(hit, orbits) if normalise else None
                taken = framing.frame_of(element)
                frame = motions.STILL if taken is None else taken
                position = played.positions[hit.positionid]
                record: dict[str, Any] = {
                    "game": hit.game,
                    "positionid": hit.positionid,
                    "ply": played.plies[hit.positionid],
                    "fen": (position if frame == motions.STILL else frame.position(position)).fen(),
                    "white": rows[0].white if rows else "",
                    "black": rows[0].black if rows else "",
                    "result": rows[0].result if rows else "",
                    "date": rows[0].date if rows else "",
                    "squares": [
                        squares.square_name(square) for square in squares.bits(frame.set(hit.squares))
                    ],
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
                if normalise:
                    line = framing.line_from(played, hit.positionid, framing.FROM_HERE)
                    record[framing.MOVES] = " ".join(tree.san_line(played.framed(frame), line))
                    undone = words.undone(element.transform) if element is not None else ""
                    record[framing.NORMALISED] = None if taken is None else undone
                yield record
