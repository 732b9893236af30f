"""How the surveys of whole bases name a game in a line of text."""

from __future__ import annotations

import collections
from collections.abc import Callable

from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model


def of_games(base: base_model.Base) -> Callable[[int], str]:
    """A function that names a game of the base: by its number, or in several files by the file and the number
    of the game in it. Of files with the same name the whole path is told."""
    if len(base.sources) < 2:
        return str
    known = collections.Counter(source.path.name for source in base.sources)

    def named(game: int) -> str:
        source, place = sources.of_game(base, game)
        file = source.path.name if known[source.path.name] == 1 else source.path
        return f"{file} {place + 1}"

    return named
