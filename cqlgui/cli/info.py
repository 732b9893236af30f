"""`cqlgui info`: the contents of a file or base."""

from __future__ import annotations

import argparse
from typing import Any

from cqlgui.cli import opening, terminal
from cqlgui.tasks.databases import bases


def run(arguments: argparse.Namespace) -> int:
    """Print the counts, dates, results and sources of a base."""
    with terminal.interruptible() as cancel:
        opened = opening.open_base(arguments.files, cancel)
    base = opened.base
    found = bases.info(base)
    sources: list[dict[str, Any]] = [
        {
            "file": str(source.path),
            "first": source.first,
            "games": source.games,
            "positions": source.positions,
            **({"filter": source.only} if source.only else {}),
        }
        for source in base.sources
    ]
    if arguments.json:
        terminal.put(
            {
                "name": base.name,
                "games": base.games,
                "positions": base.positions,
                "players": found.players,
                "events": found.events,
                "dates": [found.first_date, found.last_date],
                "results": found.results,
                "bad_games": found.bad_games,
                "index_bytes": found.index_bytes,
                "sources": sources,
            }
        )
        return opening.outcome(opened)
    if base.name:
        terminal.row(f"name       {base.name}")
    terminal.row(f"games      {base.games}")
    terminal.row(f"positions  {base.positions}")
    terminal.row(f"players    {found.players}")
    terminal.row(f"events     {found.events}")
    if found.first_date:
        terminal.row(f"dates      {found.first_date} to {found.last_date}")
    terminal.row(f"results    {', '.join(f'{result} {count}' for result, count in found.results.items())}")
    terminal.row(f"bad games  {found.bad_games}")
    terminal.row(f"index      {found.index_bytes / 1024:.0f} KiB")
    for source in sources:
        last = source["first"] + source["games"] - 1
        which = f"games {source['first']}..{last}" if source["games"] else "no games"
        terminal.row(f"source     {source['file']} ({which})")
        if "filter" in source:
            terminal.row(f"           only games that fit {source['filter']}")
    return opening.outcome(opened)
