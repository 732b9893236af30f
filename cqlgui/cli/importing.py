"""`cqlgui import`: build or refresh the index of PGN files."""

from __future__ import annotations

import argparse

from cqlgui.cli import opening, terminal


def run(arguments: argparse.Namespace) -> int:
    """Index the files; prints games, positions, bad games and seconds."""
    with terminal.interruptible() as cancel:
        report = opening.open_base(arguments.files, cancel)
    bad = len({found.game for found in report.bad_games})
    if arguments.json:
        terminal.put(
            {
                "games": report.games,
                "positions": report.positions,
                "reused": report.reused,
                "bad_games": [
                    {
                        "game": found.game,
                        "file": str(found.source),
                        "offset": found.offset,
                        "line": found.line,
                        "reason": found.reason,
                    }
                    for found in report.bad_games
                ],
                "seconds": round(report.seconds, 3),
            }
        )
        return terminal.OK
    for found in report.bad_games:
        terminal.say(f"{found.source}:{found.line}: game {found.game} (byte {found.offset}): {found.reason}")
    known = f" ({report.reused} known before)" if report.reused else ""
    print(
        f"{report.games} games{known}, {report.positions} positions, {bad} bad games, "
        f"{report.seconds:.2f} seconds"
    )
    return terminal.OK
