"""Sets stay when the program is closed. Hits of an older state of a base are not taken for hits of the
base."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from pathlib import Path

import pytest

from cqlgui.base import data
from cqlgui.base.files import folders
from cqlgui.db import journal
from cqlgui.tasks.analysis import attributes as attributes_module
from cqlgui.tasks.analysis import facets, kept_sets, sets
from cqlgui.tasks.databases import importing, workspace
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import hit_details, narrowing, searching
from tests import helpers


def listed(first: int, last: int) -> list[str]:
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")
    return ["[Event " + one.strip() for one in ("\n\n" + text).split("\n\n[Event ")[1:]][first:last]


def opened(path: Path, chosen: list[str]) -> base_model.Base:
    path.write_text("\n\n".join(chosen) + "\n", "utf-8")
    return importing.open_base([path]).base


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.pgn"


def found(base: base_model.Base, query: str, *, whole: bool = True) -> sets.NamedSet:
    return sets.NamedSet(query, base, searching.search(base, query), 1.5, whole=whole)


def complete(one: sets.NamedSet) -> sets.NamedSet:
    return data.replace(one, prints=sets.fingerprints(one.base))


def store(*kept: sets.NamedSet, dropped: tuple[str, ...] = ()) -> tuple[str, ...]:
    return kept_sets.store(lambda: (kept, dropped), complete)


def restarted(base: base_model.Base) -> kept_sets.Loaded:
    """What is loaded by a program that is started anew."""
    workspace.close()
    return kept_sets.load(base)


def records() -> Path:
    return folders.data() / "history.sqlite"


@pytest.mark.parametrize(
    "query",
    [
        "flipcolor {btm check}",
        "check",
        'cql() check sort "ply" ply',
        "cql(matchcount 0 0 gamenumber 1 5) ply < 0",
        'cql() check message("x") comment("said " ply)',
        "ply < 0",
    ],
)
def test_a_set_is_the_same_after_a_restart(path: Path, query: str) -> None:
    base = opened(path, listed(0, 40))
    one = found(base, query)
    assert store(one) == ()
    (again,) = restarted(base).sets
    assert (again.key, again.name, again.query, again.asked) == (one.key, one.name, query, 1.5)
    assert again.whole
    assert not again.lost
    assert again.result.order == one.result.order
    columns, former = again.result.games.columns, one.result.games.columns
    assert columns.hits.tolist() == former.hits.tolist()
    assert columns.codes.tolist() == former.codes.tolist()
    assert columns.ends.tolist() == former.ends.tolist()
    assert again.result.orbits == one.result.orbits
    assert sets.is_of(again, base)
    # The details are found anew, as those of a search that left them out.
    for told, known in zip(
        hit_details.tell(base, again.result, again.result.order),
        hit_details.tell(base, one.result, one.result.order),
        strict=True,
    ):
        assert [(hit.positionid, hit.value, hit.squares) for hit in told.hits] == [
            (hit.positionid, hit.value, hit.squares) for hit in known.hits
        ]
        if known.hits:
            assert told.comments == known.comments


def test_a_set_that_was_loaded_is_narrowed_and_combined(path: Path) -> None:
    base = opened(path, listed(0, 40))
    one, other = found(base, "flipcolor {btm check}"), searching.search(base, "ply > 20")
    store(one)
    (again,) = restarted(base).sets
    for way in narrowing.OPERATIONS:
        wanted = sets.combined(way, other, one, base)
        made = sets.combined(way, other, again, base)
        assert made.order == wanted.order
        assert made.games.columns.hits.tolist() == wanted.games.columns.hits.tolist()
    attributes = attributes_module.of_base(base)
    assert facets.counts(facets.sheet(attributes, again.result)) == facets.counts(
        facets.sheet(attributes, one.result)
    )


def test_sets_are_renamed_and_dropped_for_later_starts(path: Path, tmp_path: Path) -> None:
    base = opened(path, listed(0, 9))
    one, other = found(base, "check"), found(base, "initial", whole=False)
    store(one, other)
    # Some systems cannot store half of a character.
    store(data.replace(one, name="all \ud83d checks"), other)
    first, second = restarted(base).sets
    assert (first.name, second.name) == ("all ? checks", "initial")
    assert (first.whole, second.whole) == (True, False)
    store(first, dropped=(second.key, "never there"))
    assert [kept.key for kept in restarted(base).sets] == [one.key]
    # Sets of other games wait until these games are opened.
    assert restarted(opened(tmp_path / "other.pgn", listed(9, 12))).sets == ()
    both = importing.open_base([tmp_path / "other.pgn", path]).base
    assert [kept.key for kept in restarted(both).sets] == [one.key]


@pytest.mark.parametrize("column", ["hits", "sizes", "codes", "prints"])
def test_a_set_with_damaged_hits_keeps_its_query(path: Path, column: str) -> None:
    base = opened(path, listed(0, 30))
    one = found(base, "flipcolor {btm check}")
    store(one, found(base, "mate"))
    workspace.close()
    for change in (lambda old: old[:-3], lambda old: old[:9] + bytes([old[9] ^ 1]) + old[10:]):
        with contextlib.closing(sqlite3.connect(records())) as connection:
            (old,) = connection.execute(f"select {column} from kept_set where key = ?", (one.key,)).fetchone()
            connection.execute(f"update kept_set set {column} = ? where key = ?", (change(old), one.key))
            connection.commit()
            damaged, sound = restarted(base).sets
            workspace.close()
            connection.execute(f"update kept_set set {column} = ? where key = ?", (old, one.key))
            connection.commit()
        assert damaged.lost == kept_sets.DAMAGED
        assert (damaged.games, damaged.positions) == (one.games, one.positions)
        assert damaged.query == one.query
        assert sound.name == "mate"
        assert not sound.lost
        with pytest.raises(sets.HitsMissingError, match=r"their record is damaged\. Search again first"):
            sets.in_base(damaged, base)


def test_a_record_that_cannot_be_read_is_told_and_removed(path: Path) -> None:
    base = opened(path, listed(0, 9))
    one = found(base, "check")
    store(one, found(base, "mate"))
    workspace.close()
    with contextlib.closing(sqlite3.connect(records())) as connection:
        connection.execute("update kept_set set about = substr(about, 1, 20) where key = ?", (one.key,))
        connection.commit()
    loaded = restarted(base)
    assert [kept.name for kept in loaded.sets] == ["mate"]
    assert loaded.unreadable == 1
    assert restarted(base).unreadable == 0


def test_a_set_above_the_bounds_keeps_its_query(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = opened(path, listed(0, 30))
    small, large, last = found(base, "mate"), found(base, "true"), found(base, "check")
    monkeypatch.setattr(kept_sets, "MOST_HITS", large.positions - 1)
    assert store(small, large) == ("true",)
    assert store(small, large) == ()
    one, other = restarted(base).sets
    assert not one.lost
    assert other.lost == kept_sets.TOO_MANY
    assert (other.games, other.positions, other.query) == (30, large.positions, "true")
    monkeypatch.setattr(kept_sets, "MOST_HITS", large.positions)
    monkeypatch.setattr(kept_sets, "MOST_BYTES", 100)
    assert store(one, other, last) == ("check",)
    # All sets together have a bound too; the oldest sets lose their hits first.
    monkeypatch.setattr(kept_sets, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(journal, "KEPT_BYTES", 0)
    assert store(found(base, "stalemate")) == ("stalemate", "mate")
    assert {kept.lost for kept in restarted(base).sets} == {kept_sets.TOO_MANY}
    store(found(base, "initial"))
    assert [kept.name for kept in restarted(base).sets] == ["mate", "true", "check", "stalemate", "initial"]


def test_sets_keep_their_order(path: Path) -> None:
    base = opened(path, listed(0, 9))
    first, second, third = (found(base, query) for query in ("check", "mate", "initial"))
    store(first, second, third)
    store(first, third, dropped=(second.key,))
    store(first, second, third)
    assert [kept.name for kept in restarted(base).sets] == ["check", "mate", "initial"]


def test_a_base_that_grew_at_its_end_leaves_the_numbers_as_they_are(path: Path) -> None:
    store(found(opened(path, listed(0, 20)), "check"))
    base = opened(path, listed(0, 25))
    (one,) = restarted(base).sets
    assert not sets.is_of(one, base)
    now = searching.search(base, "check or ply == 1")
    both = sets.combined("and", now, one, base)
    assert both.games.columns.hits.tolist() == one.result.games.columns.hits.tolist()


def test_a_base_with_other_numbers_refuses_to_be_combined(path: Path) -> None:
    store(found(opened(path, listed(0, 20)), "check"))
    base = opened(path, listed(5, 25))
    (one,) = restarted(base).sets
    now = searching.search(base, "ply == 1")
    with pytest.raises(sets.OlderStateError, match=r"older state of the base.*Search again first"):
        sets.combined("and", now, one, base)
    # A set whose games were not identified is refused as well.
    with pytest.raises(sets.OlderStateError):
        sets.combined("or", now, data.replace(one, prints=None), base)


@pytest.mark.parametrize(
    ("query", "usable"),
    [
        ("ply == 2", True),
        ('site "S" ply == 2', True),
        ('originalcomment == "one" ply == 2', False),
        ('tag "Annotator" ply == 2', False),
        ("function f () {eco} f () ply == 2", False),
        ('not hhdb "<cook>"', False),
    ],
)
def test_a_set_that_depends_on_comments_or_other_tags_is_of_one_text(
    path: Path, query: str, usable: bool
) -> None:
    text = '[White "A"]\n[Site "S"]\n[Annotator "B"]\n[ECO "A00"]\n\n1. e4 $1 e5 $1 {one} *\n'
    store(found(opened(path, [text]), query))
    base = opened(path, [text.replace("one", "two")])
    (one,) = restarted(base).sets
    assert one.positions
    now = searching.search(base, "initial or ply == 2")
    if usable:
        assert sets.combined("and", now, one, base).positions == one.positions
    else:
        with pytest.raises(sets.OlderStateError):
            sets.combined("and", now, one, base)


def test_what_changed_since_a_set_is_told_after_a_restart(path: Path) -> None:
    former = found(opened(path, listed(0, 30)), "check")
    store(former)
    base = opened(path, [*listed(30, 40), *listed(3, 30)])
    loaded = restarted(base).sets
    now = complete(found(base, " check "))
    before = sets.Shelf(loaded).last_run(now.query)
    assert before is not None
    assert before.key == former.key
    changes = sets.compare(before, now)
    # The first games come before the others, and the games of the earlier base moved by seven.
    checks = set(now.result.order)
    assert changes.added.order == tuple(sorted(checks & set(range(1, 11))))
    assert changes.gone == len(set(former.result.order) & {1, 2, 3})
    assert not changes.lost.order
    assert not changes.moved.order
    narrowed = sets.Shelf(tuple(data.replace(one, whole=False) for one in loaded))
    assert narrowed.last_run(now.query) is None


@pytest.mark.parametrize("double", [False, True])
def test_a_game_that_was_changed_is_the_same_game_after_a_restart(path: Path, *, double: bool) -> None:
    head = '[White "A"]\n[Black "B"]\n[Event "{}"]\n\n'
    # No set knows more of games without hits than how often their tags occur.
    others = [head.format("own" if double else "other") + "1. e4 e5 *"]

    def written(moves: str) -> base_model.Base:
        return opened(path, [head.format("own") + moves + " *", *others])

    store(found(written("1. e4 e5 2. Qh5 Nc6 3. Qxf7+"), "Q attacks k"))
    base = written("1. a3 a6 2. a4 a5 3. e4 e5 4. Qh5 Nc6 5. Qxf7+")
    (before,) = restarted(base).sets
    changes = sets.compare(before, complete(found(base, "Q attacks k")))
    told = changes.added.order, changes.lost.order, changes.moved.order, changes.gone
    # Of two games with the same tags, either may be the changed one.
    assert told == (((1,), (), (), 1) if double else ((), (), (1,), 0))


def test_a_set_of_an_older_program_does_not_know_which_tags_occur_once(path: Path) -> None:
    base = opened(path, listed(0, 30))
    store(found(base, "check"))
    (known,) = restarted(base).sets
    assert known.alone is not None
    assert known.alone[list(known.result.order)].any()
    with contextlib.closing(sqlite3.connect(records())) as connection, connection:
        ((about,),) = connection.execute("select about from kept_set")
        for alike, alone in ((None, None), ([999], None), (["x"], None)):
            changed = {**json.loads(zlib.decompress(about)), "alike": alike}
            packed = zlib.compress(json.dumps(changed).encode("ascii"))
            connection.execute("update kept_set set about = ?", (packed,))
            connection.commit()
            (one,) = restarted(base).sets
            assert one.alone is alone
            # Numbers of games that the set does not have are damage.
            assert bool(one.lost) == (alike is not None)


def keep_run(base: base_model.Base, query: str) -> sets.NamedSet:
    run = complete(found(base, query, whole=False))
    kept_sets.keep_run(run)
    workspace.close()
    return run


def test_the_last_run_of_a_query_is_kept_over_the_same_files(path: Path, tmp_path: Path) -> None:
    base, other = opened(path, listed(0, 9)), opened(tmp_path / "other.pgn", listed(9, 12))
    both = importing.open_base([tmp_path / "other.pgn", path]).base
    assert kept_sets.last_run(found(base, "check")) is None
    one = keep_run(base, "check")
    keep_run(other, "check")
    keep_run(base, "initial")
    again = kept_sets.last_run(found(base, "  check\n"))
    assert again is not None
    assert again.result.order == one.result.order
    assert again.result.games.columns.hits.tolist() == one.result.games.columns.hits.tolist()
    assert sets.asked_alike(again, found(base, "check"))
    # The latest run over some of the files stands for a run over all of them.
    later = keep_run(other, "check")
    over_both = kept_sets.last_run(found(both, "check"))
    assert over_both is not None
    assert over_both.result.order == later.result.order
    # Runs are no sets, and take no room from them.
    assert kept_sets.load(base).sets == ()


def test_a_run_knows_what_was_added_after_a_restart(path: Path) -> None:
    keep_run(opened(path, listed(3, 9)), "check")
    base = opened(path, listed(0, 9)[:1] + listed(3, 8))
    now = complete(found(base, "check"))
    before = kept_sets.last_run(now)
    assert before is not None
    changes = sets.compare(before, now)
    was_there = {1} & set(now.result.order)
    assert set(changes.added.order) == was_there
    assert changes.gone == 1


def test_runs_with_many_hits_and_old_runs_are_not_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = opened(path, listed(0, 9))
    monkeypatch.setattr(kept_sets, "KEPT_RUNS", 2)
    for query in ("check", "initial", "mate", "initial", "terminal"):
        keep_run(base, query)
    there = [
        query for query in ("check", "initial", "mate", "terminal") if kept_sets.last_run(found(base, query))
    ]
    assert there == ["initial", "terminal"]
    # A run that cannot be kept leaves no older run, which would be taken for the last one.
    monkeypatch.setattr(kept_sets, "MOST_HITS", 3)
    keep_run(base, "terminal")
    assert kept_sets.last_run(found(base, "terminal")) is None


def test_a_damaged_record_of_a_run_is_passed_over(path: Path) -> None:
    base = opened(path, listed(0, 9))
    keep_run(base, "check")
    file = folders.data() / "runs.sqlite"
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("update kept_set set about = x'00'")
    assert kept_sets.last_run(found(base, "check")) is None
    keep_run(base, "check")
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("update kept_set set hits = x'00'")
    assert kept_sets.last_run(found(base, "check")) is None


def test_a_later_run_stays_the_last_one_and_has_no_rights(path: Path) -> None:
    base = opened(path, listed(0, 9))
    later = data.replace(complete(found(base, "check")), asked=3.0)
    kept_sets.keep_run(later)
    kept_sets.keep_run(data.replace(complete(found(base, "check")), asked=2.0))
    asked = found(base, "check")
    rights = data.replace(asked.result.options, allow_read=(path.parent,), allow_write=(path.parent,))
    again = kept_sets.last_run(data.replace(asked, result=data.replace(asked.result, options=rights)))
    assert again is not None
    assert again.asked == 3.0
    options = again.result.options
    assert (options.allow_read, options.allow_write) == ((), ())
