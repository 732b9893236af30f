"""`cqlgui publish`: puts a base into a folder, or to an address, where any computer can search it."""

from __future__ import annotations

import argparse

from cqlgui.cli import opening, terminal
from cqlgui.store import places
from cqlgui.tasks.cluster import publishing


def run(arguments: argparse.Namespace) -> int:
    """Open the files and publish them; print the numbers of games and parts."""
    with terminal.interruptible() as cancel:
        opened = opening.open_base(arguments.files, cancel)
        bar = terminal.Bar()
        try:
            found = publishing.publish(
                opened.base, places.spelt(arguments.output), cancel=cancel, progress=bar
            )
        finally:
            bar.end()
    if arguments.json:
        terminal.put(
            {
                "place": found.place,
                "games": found.games,
                "parts": found.parts,
                "written": found.written,
                "bytes": found.size,
            }
        )
    else:
        print(
            f"{found.games} games in {found.parts} parts, {found.written} of them new, "
            f"{found.size / 1e6:.1f} MB: {found.place}"
        )
    return opening.outcome(opened)
