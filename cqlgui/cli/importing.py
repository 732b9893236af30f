"""`cqlgui import`: build or refresh the index of PGN files."""

from __future__ import annotations

import argparse

from cqlgui.base import plurals
from cqlgui.cli import opening, terminal
from cqlgui.tasks.databases import bases
from cqlgui.tasks.results import base_model

MOST_NOTES = 1000
"""Maximum number of notes that are listed. A large base may have a note about every game."""


def run(arguments: argparse.Namespace) -> int:
    """Index the files; print the numbers of games, positions and bad games, and the time in seconds."""
    with terminal.interruptible() as cancel, opening.cluster(arguments.scheduler, cancel) as cluster:
        report = opening.open_base(arguments.files, cancel, arguments.games or "", cluster=cluster)
    bad = len({found.game for found in report.bad_games})
    notes = bases.notes(report.base, MOST_NOTES)
    if arguments.json:
        terminal.put(
            {
                "games": report.games,
                **({"filter": arguments.games} if arguments.games else {}),
                "positions": report.positions,
                "reused": report.reused,
                "bad_games": [_record(found) for found in report.bad_games],
                "notes": [_record(found) for found in notes],
                "unreadable": [str(path) for path in report.unreadable],
                "seconds": round(report.seconds, 3),
            }
        )
        return opening.outcome(report)
    for found in report.bad_games:
        terminal.say(_line(found, ""))
    for found in notes:
        terminal.say(_line(found, "note: "))
    which = terminal.one_line(f" that fit {arguments.games}") if arguments.games else ""
    known = f" ({report.reused} known before)" if report.reused else ""
    print(
        f"{plurals.games(report.games)}{which}{known}, {plurals.positions(report.positions)}, "
        f"{plurals.counted(bad, 'bad game', 'bad games')}, {report.seconds:.2f} seconds"
    )
    return opening.outcome(report)


def _line(found: base_model.BadGame, kind: str) -> str:
    place = f"{found.source}:{found.line}: game {found.game} (byte {found.offset})"
    return terminal.one_line(f"{place}: {kind}{found.reason}")


def _record(found: base_model.BadGame) -> dict[str, object]:
    return {
        "game": found.game,
        "file": str(found.source),
        "offset": found.offset,
        "line": found.line,
        "reason": found.reason,
    }
