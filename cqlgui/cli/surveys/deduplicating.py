"""`cqlgui duplicates`: lists games that are in a base more than once, and writes the base without them."""

from __future__ import annotations

import argparse
import itertools

import numpy as np

from cqlgui.base import plurals
from cqlgui.cli import opening, terminal
from cqlgui.cli.surveys import naming
from cqlgui.tasks.databases import games, sources
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model

_AT_ONCE = 200
"""Number of groups whose headers are read together."""


def run(arguments: argparse.Namespace) -> int:
    """Print the groups of duplicates with the reasons, and write the other games if asked."""
    terminal.refuse_existing(arguments.output, overwrite=arguments.overwrite, read=arguments.files)
    bar = terminal.Bar()
    with terminal.interruptible() as cancel:
        opened = opening.open_base(arguments.files, cancel)
        base = opened.base
        try:
            found = duplicates.find(base, cancel=cancel, progress=bar)
        finally:
            bar.end()
        if arguments.json:
            terminal.put(_record(base, found))
        else:
            _print(base, found)
        if arguments.output is not None:
            # The module takes a while to load, and a list alone does not need it.
            from cqlgui.tasks.export import exporting

            kept = np.setdiff1d(np.arange(1, base.games + 1), found.left_out).tolist()
            try:
                exporting.export_games(
                    base,
                    kept,
                    arguments.output,
                    overwrite=arguments.overwrite,
                    cancel=cancel,
                    progress=bar,
                )
            finally:
                bar.end()
            terminal.say(f"{plurals.games(len(kept))} written to {arguments.output}")
    terminal.say(f"{found.summary}.")
    return opening.outcome(opened)


def _record(base: base_model.Base, found: duplicates.Duplicates) -> dict[str, object]:
    def spot(game: int) -> dict[str, object]:
        source, place = sources.of_game(base, game)
        return {"file": str(source.path), "gamenumber": place + 1}

    return {
        "games": found.games,
        "left_out": len(found.left_out),
        "groups": [
            {
                "kept": group.kept,
                **spot(group.kept),
                "why_kept": group.why_kept,
                "others": [
                    {"game": other.game, **spot(other.game), "reason": group.why(other)}
                    for other in group.others
                ],
            }
            for group in found.groups
        ],
        "sources": [
            {"file": str(source.path), "first": source.first, "games": source.games}
            for source in base.sources
        ],
    }


def _print(base: base_model.Base, found: duplicates.Duplicates) -> None:
    every, named = found.groups, naming.of_games(base)
    many = len(base.sources) > 1
    while groups := list(itertools.islice(every, _AT_ONCE)):
        wanted = [game for group in groups for game in (group.kept, *(one.game for one in group.others))]
        rows = {row.game: row for row in games.rows(base, wanted)}
        for group in groups:
            kept = named(group.kept)
            terminal.row(f"{_shown(kept, rows[group.kept])}: kept, {group.why_kept}")
            for other in group.others:
                reason = group.why(other, kept if many else "")
                terminal.row(f"    {_shown(named(other.game), rows[other.game])}: left out, {reason}")


def _shown(name: str, row: base_model.GameRow) -> str:
    players = f"{row.white or '?'} - {row.black or '?'}"
    return " ".join(filter(None, [f"{name}:", players, row.result, row.date, f"{row.plies} plies"]))
