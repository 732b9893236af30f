"""The fields of a hit in CSV and JSON lines. The command line and exported tables use the same fields."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from cqlgui.board import motions, moves, squares, tree
from cqlgui.cql.transforming import words
from cqlgui.engine.kernels import listing
from cqlgui.engine.passes import orbit_pass
from cqlgui.tasks.databases import games, sources
from cqlgui.tasks.export import framing, hit_table
from cqlgui.tasks.results import base_model, hit_model
from cqlgui.tasks.results import found as found_module

if TYPE_CHECKING:
    from cqlgui.tasks.judging import judging

NORMALISED_FIELDS = (framing.MOVES, framing.NORMALISED)
"""The fields that records in the query's own frame have besides those of `hit_table.Rows.fields`."""


def records(
    base: base_model.Base,
    found: Iterable[hit_model.GameHits],
    orbits: Sequence[hit_model.Orbit],
    *,
    normalise: bool = False,
) -> Iterator[dict[str, Any]]:
    """One record for each hit, with the fields `hit_table.FIELDS`.

    With `normalise`, FEN, squares and moves are given in the query's frame. SAN is then written for the
    squares of this frame; a move in UCI notation that leaves the board, or that was castling and is none in
    this frame, is empty. `moves` are the moves after the hit with their numbers. `normalised` says in words
    how the transform was undone; it is None if no motion undoes the transform.
    """
    with sources.Readers(base) as readers:
        for hits, headers, more in _with_headers(base, found):
            opened, place = readers.of(hits.game)
            source, _ = sources.of_game(base, hits.game)
            played = tree.GameTree.decode(opened.index.start_fen(place), opened.index.moves(place))
            for hit in hits.hits:
                element = framing.element_of(hit, orbits) if normalise else None
                taken = framing.frame_of(element)
                frame = motions.STILL if taken is None else taken
                position = played.positions[hit.positionid]
                orbit = [
                    {
                        **hit_table.match(orbit_pass.code_of(match.orbit, match.element), orbits),
                        "positionid": match.positionid,
                    }
                    for match in hit.matches
                    if 0 <= match.orbit < len(orbits)
                ]
                record = hit_table.record(
                    str(source.path),
                    source.first,
                    hit.game,
                    headers,
                    games.other_tags(more),
                    played.plies[hit.positionid],
                    hit.positionid,
                    (position if frame == motions.STILL else frame.position(position)).fen(),
                    _moves(played, hit.positionid, frame),
                    hit_table.squares_of(frame.set(hit.squares)),
                    orbit,
                    hit.value,
                    hits.comment_at(hit.positionid),
                )
                if normalise:
                    line = framing.line_from(played, hit.positionid, framing.FROM_HERE)
                    record[framing.MOVES] = " ".join(tree.san_line(played.framed(frame), line))
                    undone = words.undone(element.transform) if element is not None else ""
                    record[framing.NORMALISED] = None if taken is None else undone
                yield record


def _with_headers(
    base: base_model.Base, found: Iterable[hit_model.GameHits]
) -> Iterator[tuple[hit_model.GameHits, list[Any], str]]:
    """Each of some games with its headers, in the order of `hit_table.HEADERS`, and with `GameRow.more`. The
    catalog is asked for many games at once, because each question takes as long as the rest of a game's
    records."""
    remaining = iter(found)
    while some := list(itertools.islice(remaining, _ASKED)):
        wanted = [hits.game for hits in some]
        listed = {row.game: row for row in games.rows(base, wanted)}
        sources.insist_all(base, wanted)
        for hits in some:
            row = listed.get(hits.game)
            told = ["" if row is None else getattr(row, name) for name in hit_table.HEADERS]
            yield hits, told, "" if row is None else row.more


_ASKED: Final = 200
"""Number of games whose headers are read together."""


Table: TypeAlias = "hit_table.Block | list[dict[str, Any]]"
"""Some rows: as columns, or as objects where only objects can hold their details."""


def tables(
    base: base_model.Base,
    found: found_module.FoundGames,
    chosen: Sequence[int],
    orbits: Sequence[hit_model.Orbit],
    *,
    variations: bool,
    rows: hit_table.Rows = hit_table.Rows.HITS,
) -> Iterator[Table]:
    """The rows of the hits of some games, in the order of `chosen`. Rows that columns can make are made from
    columns, because that is many times faster."""
    for some, is_plain in hit_table.parts(found, chosen):
        if is_plain:
            for block in hit_table.blocks(base, found, some, orbits, variations=variations):
                yield block.grouped(rows)
        else:
            listed = records(base, (found[game] for game in some), orbits)
            yield from listed_tables(hit_table.grouped(listed, rows))


def of_games(
    base: base_model.Base,
    found: found_module.FoundGames,
    chosen: Sequence[int],
    orbits: Sequence[hit_model.Orbit],
    *,
    variations: bool,
    rows: hit_table.Rows = hit_table.Rows.HITS,
) -> Iterator[dict[str, Any]]:
    """The rows of `tables` as records."""
    yield from of_tables(tables(base, found, chosen, orbits, variations=variations, rows=rows))


def listed_tables(listed: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Records in tables of `hit_table.PIECE` rows."""
    remaining = iter(listed)
    while table := list(itertools.islice(remaining, hit_table.PIECE)):
        yield table


def judged(found: Iterable[Table], judges: judging.Judges) -> Iterator[list[dict[str, Any]]]:
    """The rows of several tables with what the judges say of their positions, some rows at a time. Raises
    `errors.Cancelled` and `judgement.JudgeError`."""
    remaining = of_tables(found)
    while table := list(itertools.islice(remaining, _JUDGED)):
        yield judges.rows(table)


_JUDGED: Final = 200
"""Number of rows that are judged together."""


def of_tables(found: Iterable[Table]) -> Iterator[dict[str, Any]]:
    """The rows of several tables as records."""
    for table in found:
        yield from table if isinstance(table, list) else table.records()


def _moves(played: tree.GameTree, place: int, frame: motions.Motion) -> list[str]:
    """The moves at a position, in the order of `hit_table.MOVES`."""
    shown = played if frame == motions.STILL else played.framed(frame)
    line = framing.line_from(played, place, listing.FOLLOWING)
    last = [place] if played.parents[place] >= 0 else []
    texts: list[str] = []
    for number in (*last[:1], *line[:1]):
        texts += [shown.san(number), _uci(played, number, frame)]
    if not last:
        texts = ["", "", *texts]
    if not line:
        texts += ["", ""]
    sans = [shown.san(number) for number in line]
    # In a frame, the moves from the first one on that leaves the board are left out.
    ucis = itertools.takewhile(bool, (_uci(played, number, frame) for number in line))
    return [*texts, " ".join(sans), " ".join(ucis)]


def _uci(played: tree.GameTree, number: int, frame: motions.Motion) -> str:
    """The move that leads to a position in UCI notation, after a motion of the board. Empty if the motion
    takes a square off the board, or if it is castling that is none after the motion."""
    text = moves.uci(played.mover(number), played.moves[number])
    kind = moves.flag(played.moves[number])
    if frame == motions.STILL or kind == moves.NULL:
        return text
    if kind == moves.CASTLE and not frame.keeps_castling:
        return ""
    places = [frame.square(squares.NAMES.index(text[at : at + 2])) for at in (0, 2)]
    return "" if min(places) < 0 else "".join(squares.NAMES[one] for one in places) + text[4:]
