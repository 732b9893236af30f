"""Goes through the rows of a block without an object for each hit. What depends on the game, the transform or
the words of the query is told once for each of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from cqlgui.base import arrays
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.export import hit_table
from cqlgui.tasks.export.formats import captions

Game = TypeVar("Game")
Image = TypeVar("Image")
Said = TypeVar("Said")


def rows(
    block: hit_table.Block,
    of_game: Callable[[dict[str, Any]], Game],
    of_image: Callable[[dict[str, Any]], Image],
    of_said: Callable[[dict[str, Any]], Said],
) -> Iterator[tuple[Sequence[str], int, int, Game, Image, Said]]:
    """For each row its texts (the FEN, then `hit_table.MOVES`), its game and its positionid, and what the
    three functions make of the headers and the other tags of the game, of the primary match (`orbit`), and of
    `value` and `comment`."""
    columns = block.columns
    games, of_games = np.unique(columns.games, return_index=True)
    headers = [(name, block.coded[name]) for name in hit_table.HEADERS]
    tags = block.coded[hit_table.TAGS]
    known = {
        game: of_game(
            {name: column.values[int(column.codes[row])] for name, column in headers}
            | {hit_table.TAGS: games_module.other_tags(tags.values[int(tags.codes[row])])}
        )
        for game, row in zip(games.tolist(), of_games.tolist(), strict=True)
    }
    primary, images = arrays.ranked(columns.primary())
    shown = [
        of_image({"orbit": [hit_table.match(code, block.orbits)] if code >= 0 else []})
        for code in primary.tolist()
    ]
    values, comments = block.coded["value"], block.coded["comment"]
    said: dict[tuple[int, int], Said] = {}
    texts = block.listed.texts()
    for row, game, place, image, value, comment in zip(
        block.rows.tolist(),
        columns.games.tolist(),
        block.places.tolist(),
        images.tolist(),
        values.codes.tolist(),
        comments.codes.tolist(),
        strict=True,
    ):
        pair = value, comment
        if pair not in said:
            said[pair] = of_said({"value": values.values[value], "comment": comments.values[comment]})
        yield texts[row], game, place, known[game], shown[image], said[pair]


def runs(block: hit_table.Block) -> Iterator[str]:
    """For each row how many hits it stands for (`captions.run`)."""
    if not block.more:
        return itertools.repeat("", len(block))
    columns = {"ply": block.plies, **block.more}
    numbers = zip(*(column.tolist() for column in columns.values()), strict=True)
    return (captions.run(dict(zip(columns, row, strict=True))) for row in numbers)
