"""`cqlgui anticipate`: the compositions of a collection that are nearest to given ones."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from cqlgui.base import plurals
from cqlgui.cli import opening, terminal
from cqlgui.cli.surveys import naming
from cqlgui.tasks.databases import games, sources
from cqlgui.tasks.likeness import anticipation
from cqlgui.tasks.results import base_model


def run(arguments: argparse.Namespace) -> int:
    """Print the nearest games for each entry."""
    bar = terminal.Bar()
    with terminal.interruptible() as cancel:
        entries = opening.open_base([arguments.entries], cancel).base
        opened = opening.open_base(arguments.files, cancel)
        try:
            found = anticipation.find(entries, opened.base, top=arguments.top, cancel=cancel, progress=bar)
        finally:
            bar.end()
    known = anticipation.headers(opened.base, found)
    titles = {row.game: row for row in games.rows(entries, range(1, entries.games + 1))}
    if arguments.json:
        terminal.put(
            {
                "entries": [
                    _record(entry, titles[entry.number], known, opened.base) for entry in found.entries
                ],
                "games": found.games,
                "positions": found.positions,
                "left_out": found.left_out,
            }
        )
    else:
        named = naming.of_games(opened.base)
        for entry in found.entries:
            _print(entry, titles[entry.number], known, named)
    left_out = ""
    if found.left_out:
        those = plurals.counted(found.left_out, "game begins", "games begin")
        left_out = f"; {those} from the usual array or could not be read"
    terminal.say(
        f"{plurals.counted(len(found.entries), 'entry', 'entries')} compared with "
        f"{plurals.positions(found.positions)} of "
        f"{plurals.counted(found.games, 'composition', 'compositions')}{left_out}."
    )
    return opening.outcome(opened)


def _record(
    entry: anticipation.Entry,
    title: base_model.GameRow,
    known: dict[int, base_model.GameRow],
    base: base_model.Base,
) -> dict[str, object]:
    places = (sources.of_game(base, near.game) for near in entry.nearest)
    record: dict[str, object] = {
        "entry": entry.number,
        "white": title.white,
        "black": title.black,
        "fen": entry.fen,
        "nearest": [
            {
                "rank": rank,
                "game": near.game,
                "file": str(source.path),
                "gamenumber": place + 1,
                "white": known[near.game].white,
                "black": known[near.game].black,
                "date": known[near.game].date,
                "event": known[near.game].event,
                "score": round(near.score, 6),
                "same": near.same,
                "men": near.men,
                "entry_ply": near.entry_ply,
                "ply": near.ply,
                "transform": near.transform,
                "words": near.words,
                "fen": near.fen,
            }
            for rank, near, (source, place) in zip(entry.ranks, entry.nearest, places, strict=True)
        ],
    }
    if entry.reason:
        record["error"] = entry.reason
    return record


def _print(
    entry: anticipation.Entry,
    title: base_model.GameRow,
    known: dict[int, base_model.GameRow],
    named: Callable[[int], str],
) -> None:
    terminal.row(" ".join(filter(None, [f"{entry.number}:", _players(title), title.date, entry.fen])))
    if entry.reason:
        terminal.row(f"    {entry.reason}")
    for rank, near in zip(entry.ranks, entry.nearest, strict=True):
        row = known[near.game]
        terminal.row(
            f"    {rank}. {plurals.percent(near.score, 1):>6}  {named(near.game)}: {_players(row)} "
            f"{row.date}  {near.same} of {plurals.counted(near.men, 'man', 'men')}, {_where(near)}, "
            f"{near.transform} {near.words}  {near.fen}"
        )


def _players(row: base_model.GameRow) -> str:
    return f"{row.white or '?'} - {row.black or '?'}"


def _where(near: anticipation.Near) -> str:
    entry, game = (
        f"{name} after {plurals.counted(ply, 'ply', 'plies')}" if ply else f"{name}'s start"
        for name, ply in (("entry", near.entry_ply), ("game", near.ply))
    )
    return f"{entry}, {game}"
