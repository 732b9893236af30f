"""`cqlgui publish`: puts a base into a folder, or to an address, where any computer can search it."""

from __future__ import annotations

import argparse

from cqlgui.base import plurals
from cqlgui.cli import opening, terminal
from cqlgui.store import places
from cqlgui.tasks.cluster import publishing


def run(arguments: argparse.Namespace) -> int:
    """Open the files and publish them, or let the workers of a cluster do so; print the numbers of games and
    parts."""
    place = places.spelt(arguments.output)
    bar = terminal.Bar()
    with terminal.interruptible() as cancel, opening.cluster(arguments.scheduler, cancel) as cluster:
        try:
            if cluster is None:
                opened = opening.open_base(arguments.files, cancel)
                found = publishing.publish(
                    opened.base, place, unreadable=opened.unreadable, cancel=cancel, progress=bar
                )
            else:
                from cqlgui.tasks.cluster import pieces

                found = pieces.publish(
                    arguments.files, place, cluster, cancel=cancel, progress=bar, on_message=terminal.say
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
            f"{plurals.games(found.games)} in {plurals.counted(found.parts, 'part', 'parts')}, "
            f"{found.written} new, {found.size / 1e6:.1f} MB: {found.place}"
        )
    return terminal.USAGE if found.unreadable else terminal.OK
