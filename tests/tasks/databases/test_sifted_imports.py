"""An import with a filter takes exactly the games that fit, and everything counts these games alone."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.db import game_filter
from cqlgui.jit import native
from cqlgui.store import index
from cqlgui.tasks.databases import games, importing, sources, workspace
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers
from tests.helpers import faults

CLEAN = """[Event "Event {n}"]
[White "Player {n}"]
[WhiteElo "{elo}"]
[ECO "B{eco:02d}"]
[Result "{result}"]
[TimeControl "{time}+{more}"]

1. e4 ({{why}} 1. d4 d5 (1... e6)) 1... e5 2. Nf3 $1 {{good; fine}} Nc6 ; the end
{rest} {result}

"""
ODD = '[Event "Odd {n}"]\n[White "Odd {n}"]\n[WhiteElo "{elo}"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n'
STRANGE = '[Event "Strange {n}"]\n[Whitelo {n}\n[White "S {n}"]\n[WhiteElo "{elo}"]\n\n1. e4 e5 {{ (}} *\n\n'


def text(count: int) -> str:
    """Games that the fast reader reads, with games whose moves or tags it refuses."""
    found = ""
    for n in range(count):
        form = STRANGE if n % 31 == 30 else ODD if n % 11 == 10 else CLEAN
        found += form.format(
            n=n,
            elo=2000 + n * 37 % 800,
            eco=n * 7 % 100,
            result=("1-0", "0-1", "1/2-1/2", "*")[n % 4],
            time=(60, 180, 600, 1800)[n * 5 % 4],
            more=n % 3,
            rest="3. Bb5 a6" if n % 2 else "3. Bc4",
        )
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.pgn"
    found.write_text(text(700))
    return found


def kept(base: base_model.Base) -> list[tuple[object, ...]]:
    """The place, the line, the moves and the headers of each game."""
    (source,) = base.sources
    rows = workspace.catalog().headers(source.id, range(source.games))
    with index.SourceIndex.open(workspace.index_folder(source.path)) as opened:
        opened.verify()
        return [
            (opened.span(game), opened.moves(game).tolist(), opened.start_fen(game), rows[game])
            for game in range(opened.game_count)
        ]


FILTERS = ["elo>2700", "elo>2200 eco:B10-B40 -result:1-0", "odd", "strange elo<2400", "white:player year:1"]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("filter_text", FILTERS)
def test_the_games_are_those_that_the_line_of_games_finds(filter_text: str, packed: bool, path: Path) -> None:
    whole = importing.open_base([path], games="").base
    expected = kept(whole)
    try:
        fitting = games.ids(whole, text=filter_text).tolist()
    except game_filter.FilterError:
        fitting = []
    if packed:
        data = path.read_bytes()
        path = path.with_suffix(".pgn.gz")
        path.write_bytes(gzip.compress(data))
    found = importing.open_base([path], games=filter_text).base
    assert kept(found) == [expected[game - 1] for game in fitting]
    assert found.sources[0].only == filter_text
    assert (len(fitting) > 5) == ("year" not in filter_text)


def test_any_tag_may_be_asked_for(path: Path) -> None:
    base = importing.open_base([path], games="timecontrol:600+*").base
    tags = [dict(games.load(base, game).tags) for game in range(1, base.games + 1)]
    assert {tag["TimeControl"].partition("+")[0] for tag in tags} == {"600"}
    assert base.games == text(700).count('[TimeControl "600+')


@pytest.mark.skipif(not native.available(), reason="there is no machine code to be switched off")
def test_without_machine_code_the_same_games_are_taken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(text(90))
    fast = kept(importing.open_base([path], games="elo>2500").base)
    workspace.close()
    monkeypatch.setattr(native, "available", lambda: False)
    importing.open_base([path], games="")
    assert kept(importing.open_base([path], games="elo>2500").base) == fast


def test_numbers_texts_and_hits_are_those_of_the_games_taken(path: Path) -> None:
    base = importing.open_base([path], games="elo>2700").base
    assert [row.game for row in games.rows(base, [1, base.games])] == [1, base.games]
    found = searching.search(base, "cql(gamenumber 3) initial", search_model.SearchOptions(workers=1))
    assert list(found.order) == [3]
    with sources.opened(base.sources[0]) as opened:
        whole = opened.texts(np.arange(base.games))
        for game in range(base.games):
            raw = whole.data[whole.begins[game] : whole.ends[game]]
            assert games.load(base, game + 1).raw == raw
            assert f'[White "{games.rows(base, [game + 1])[0].white}"]'.encode() in raw


def test_an_index_keeps_its_filter_until_another_is_asked_for(path: Path) -> None:
    first = importing.open_base([path], games="elo>2700")
    again = importing.open_base([path])
    assert (again.games, again.reused) == (first.games, first.games)
    assert "imported with a filter" in again.messages[0]
    assert "elo>2700" in again.messages[0]
    with path.open("a") as file:
        file.write(CLEAN.format(n=1, elo=2801, eco=1, result="*", time=1, more=1, rest="") * 2)
        file.write(CLEAN.format(n=1, elo=2001, eco=1, result="*", time=1, more=1, rest=""))
    grown = importing.open_base([path])
    assert (grown.games, grown.messages) == (first.games + 2, again.messages)
    other = importing.open_base([path], games="elo<2100")
    assert (other.reused, other.base.sources[0].only) == (0, "elo<2100")
    with pytest.raises(errors.SourceError, match="read again"), sources.opened(first.base.sources[0]):
        pass
    assert importing.open_base([path], games="").games == 703


def test_a_cancelled_import_goes_on_with_its_filter(path: Path) -> None:
    whole = kept(importing.open_base([path], games="elo>2300").base)
    importing.open_base([path], games="")
    token = progress.CancelToken()

    def stop(base: base_model.Base) -> None:
        if base.games:
            token.cancel()

    with faults.small_batches():
        first = importing.open_base([path], games="elo>2300", cancel=token, on_base=stop)
    assert first.cancelled
    assert 0 < first.games < len(whole)
    again = importing.open_base([path])
    assert again.reused == first.games
    assert kept(again.base) == whole


@pytest.mark.parametrize("lost", ["segment", "rows"])
def test_what_is_damaged_is_made_again_with_the_filter(lost: str, path: Path) -> None:
    with faults.small_batches():
        base = importing.open_base([path], games="elo>2300").base
    before = kept(base)
    if lost == "rows":
        workspace.catalog().begin(base.sources[0].id, 3)
    else:
        segment = sorted(workspace.index_folder(path).glob("*.seg"))[1]
        segment.write_bytes(segment.read_bytes()[:-1])
    assert kept(importing.open_base([path]).base) == before


def test_a_tag_that_no_game_has_is_named(path: Path) -> None:
    report = importing.open_base([path], games="timecontrl:600*")
    assert report.messages == (
        "No game of a.pgn has a tag timecontrl.",
        "a.pgn holds no games that fit “timecontrl:600*”.",
    )


def test_a_filter_with_an_error_is_refused_before_anything_is_read(path: Path) -> None:
    with pytest.raises(game_filter.FilterError, match="plies"):
        importing.open_base([path], games="plies>10")
    assert not workspace.index_folder(path).exists()


def test_the_command_line_imports_and_says_which_games_are_open(path: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = helpers.cli("import", path, "--games", "-elo<2700", "--json", home=home)
    assert json.loads(done.out)["filter"] == "-elo<2700"
    shown = helpers.cli("info", path, home=home)
    assert "only games that fit -elo<2700" in shown.out
    assert helpers.cli("import", path, "--games", "plies>3", home=home).code == 2
    assert "700 games" in helpers.cli("import", path, home=home).out
