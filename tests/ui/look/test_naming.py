"""Names of files where there is little room."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.ui.look import naming


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/x/a.pgn"], "a.pgn"),
        (["/x/a.pgn", "/x/b.pgn", "/y/c.pgn"], "a.pgn and 2 more"),
        (["/x/a.pgn", "/y/a.pgn"], "x/a.pgn and 1 more"),
        (["/p/x/a.pgn", "/q/x/a.pgn"], "p/x/a.pgn and 1 more"),
        (["/a.pgn", "/y/a.pgn"], "/a.pgn and 1 more"),
        (["/x/b.pgn", "/x/a.pgn", "/y/a.pgn"], "b.pgn and 2 more"),
        (["/x/a.pgn", "/x/a.pgn"], "a.pgn and 1 more"),
    ],
)
def test_several_files_have_a_short_title(paths: list[str], expected: str) -> None:
    assert naming.title([Path(path) for path in paths]) == expected


def test_equal_names_are_told_apart_however_deep() -> None:
    paths = [Path(f"/top/{year}/games/of/all/twic.pgn") for year in (2023, 2024)]
    assert naming.told_apart(paths) == ["2023/…/twic.pgn", "2024/…/twic.pgn"]


def test_a_long_name_keeps_its_beginning_and_its_ending() -> None:
    name = "the games of " + "very " * 60 + "many players.pgn"
    short = naming.shortened(name)
    assert len(short) == naming.LONGEST
    assert short.startswith("the games of very")
    assert short.endswith("many players.pgn")
    assert naming.shortened("two\nlines.pgn") == "two lines.pgn"


def test_a_listing_names_the_paths_but_not_thousands() -> None:
    paths = [Path(f"/x/{number}.pgn") for number in range(1000)]
    lines = naming.listing(paths).splitlines()
    assert lines[0] == "/x/0.pgn"
    assert lines[-1] == "and 980 more"
    assert len(lines) == 21
