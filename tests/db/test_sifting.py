"""The filter of an import decides as the catalog's filter does, and knows the other tags too."""

from __future__ import annotations

import numpy as np
import pytest

from cqlgui.db import game_filter, headers, sifting

ROWS = [
    headers.from_tags(tags, 40, False)
    for tags in (
        [("White", "Carlsen, Magnus"), ("WhiteElo", "2850"), ("Date", "2019.01.02"), ("ECO", "B90")],
        [("White", "Élan"), ("Black", "carlsen"), ("BlackElo", "2200"), ("TimeControl", "600+5")],
        [("White", "X"), ("Date", "????.01.02"), ("ECO", "c65"), ("timecontrol", "60+0"), ("A", 'a "b" \\')],
        [("Event", "TimeControl: 600+5"), ("Note", 'x", "TimeControl": "600+5'), ("WhiteElo", "2200?")],
        [],
    )
]


def passing(text: str) -> list[int]:
    return np.flatnonzero(sifting.Sieve(text).passing(headers.Table.of(ROWS))).tolist()


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("carlsen", [0, 1]),
        ("white:carlsen", [0]),
        ("-carlsen", [2, 3, 4]),
        ("elo>2200", [0]),
        ("elo:2200-2850", [0, 1]),
        ("year:2019", [0]),
        ("-year:2019", [1, 2, 3, 4]),
        ("eco:B90-C70", [0, 2]),
        ("opening:najdorf", [0]),
        ("timecontrol:600+*", [1]),
        ("TIMECONTROL:6*0*", [1, 2]),
        ("timecontrol=600+5", [1]),
        ("timecontrol:600", []),
        ("-timecontrol:*", [0, 3, 4]),
        ('a:"a * *"', [2]),
        ("note:*timecontrol*", [3]),
        ("carlsen timecontrol:*", [1]),
    ],
)
def test_a_filter_keeps_the_games_whose_tags_fit(text: str, games: list[int]) -> None:
    assert passing(text) == games


def test_letters_beyond_ascii_are_compared_as_the_catalog_does() -> None:
    assert passing("white:Élan") == [1]
    assert passing("white:élan") == [1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("plies>40", "counted when the moves are read"),
        ("timecontrol>600", "taken for a tag"),
        ("timecontrol:", "taken for a tag"),
        ("elo:many", "elo takes a number"),
        ("- result:1-0", "minus sign"),
    ],
)
def test_a_filter_that_cannot_be_understood_is_refused(text: str, words: str) -> None:
    with pytest.raises(game_filter.FilterError, match=words):
        sifting.Sieve(text)


def test_tags_that_no_game_has_are_named() -> None:
    sieve = sifting.Sieve("timecontrol:1 -timecontrl:1 elo>1")
    assert sieve.unseen == ["timecontrol", "timecontrl"]
    sieve.passing(headers.Table.of(ROWS))
    assert sieve.unseen == ["timecontrl"]
