"""Snapshots: sequences are read from paths and from `find` within `find`, edited, and mean what they say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.cql.checking import check
from cqlgui.cql.editing import structure
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from cqlgui.pattern import editing, reading, steps, writing
from cqlgui.pattern.marks import Pattern
from cqlgui.pattern.steps import Gap
from tests.helpers import games

STAIRCASE = """[SetUp "1"]
[FEN "7k/8/8/8/8/8/8/K6Q w - - 0 1"]
[Result "*"]

1. Qg2 Kh7 2. Qg3 Kh8 3. Qf4 Kg8 4. Qf5 Kg7 *
"""


def pattern(text: str) -> Pattern:
    query = structure.checked(text).query
    assert query is not None
    return reading.of_node(query.body)


def built(*texts: str) -> tuple[str, int]:
    """Patterns added one after the other to an empty text."""
    text, caret = "", 0
    for one in texts:
        edit = steps.add_step(text, caret, pattern(one))
        text, caret = edit.applied(text), edit.caret
    return text, caret


def hits(text: str) -> list[int]:
    (game,) = games.from_pgn(STAIRCASE)
    outcome = interpreter.Program(transforms.expand(check.check(text))).run(game.tree, game.host)
    return [hit.positionid for hit in outcome.hits] if outcome else []


def shown(text: str, caret: int) -> tuple[str, list[str], list[Gap]]:
    found = steps.sequence_at(text, caret)
    assert found is not None
    return found.form, [writing.text_of(one) for one in found.steps], list(found.gaps)


def test_patterns_added_one_after_the_other_are_a_path() -> None:
    text, caret = built("Qg2 btm", "Qg3", "Qf4 btm")
    assert text == "path {Qg2 btm} --+ {Qg3} --+ {Qf4 btm}"
    assert shown(text, caret) == (
        "path",
        ["{Qg2 btm}", "{Qg3}", "{Qf4 btm}"],
        [steps.ANY_TIME, steps.ANY_TIME],
    )
    assert hits(text) == [1]


@pytest.mark.parametrize(
    ("gap", "spelled", "expected"),
    [
        (Gap(1, 1), "--", [2]),
        (Gap(2, 2), "--{2}", [1]),
        (Gap(1, 2), "--{1,2}", [1, 2]),
        (Gap(3, 4), "--{3,4}", []),
        (Gap(2, None), "--{2,}", [1]),
        (Gap(0, None), "--*", [1, 2]),
    ],
)
def test_the_gap_says_how_many_plies_lie_between(gap: Gap, spelled: str, expected: list[int]) -> None:
    text, caret = built("Qg2", "Qg3 btm")
    assert hits(text) == [1, 2]
    edit = steps.set_gap(text, caret, 0, gap)
    text = edit.applied(text)
    assert text == f"path {{Qg2}} {spelled} {{Qg3 btm}}"
    assert shown(text, edit.caret)[2] == [gap]
    assert hits(text) == expected
    assert steps.set_gap(text, edit.caret, 0, steps.ANY_TIME).applied(text) == "path {Qg2} --+ {Qg3 btm}"


def test_find_within_find_asks_the_same_without_gaps() -> None:
    text, caret = built("Qg2 btm", "Qg3", "Qf4 btm")
    edit = steps.set_form(text, caret, "find")
    text = edit.applied(text)
    assert text == "{Qg2 btm find {Qg3 find {Qf4 btm}}}"
    assert shown(text, edit.caret) == (
        "find",
        ["{Qg2 btm}", "{Qg3}", "{Qf4 btm}"],
        [Gap(0, None), Gap(0, None)],
    )
    assert hits(text) == [1]
    assert steps.set_form(text, edit.caret, "path").applied(text) == (
        "{path {Qg2 btm} --+ {Qg3} --+ {Qf4 btm}}"
    )


def test_the_order_decides() -> None:
    text, caret = built("Qg3", "Qg2", "Qf4")
    assert hits(text) == []
    edit = steps.move_step(text, caret, 1, 0)
    text = edit.applied(text)
    assert text == "path {Qg2} --+ {Qg3} --+ {Qf4}"
    assert hits(text) == [1, 2]


@pytest.mark.parametrize(
    ("text", "step", "expected"),
    [
        ("path {a2} --+ {Qg3} -- {Qf4}", 0, "path {Qg3} -- {Qf4}"),
        ("path {a2} --+ {Qg3} -- {Qf4}", 1, "path {a2} -- {Qf4}"),
        ("path {a2} --+ {Qg3} -- {Qf4}", 2, "path {a2} --+ {Qg3}"),
        ("path {a2} --+ {Qg3}", 1, "{a2}"),
        ('player "x" path {a2} --+ {Qg3}', 0, 'player "x" {Qg3}'),
        ("flip {Ra2 find {Qg3 find Kf4}}", 1, "flip {Ra2 find {Kf4}}"),
        ("flip {Ra2 find {Qg3}}", 0, "flip {Qg3}"),
    ],
)
def test_a_step_is_taken_out_with_its_gap(text: str, step: int, expected: str) -> None:
    assert steps.remove_step(text, text.index("a2"), step).applied(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cql() flipcolor {Nf5 kg8}", "cql() flipcolor {path {Nf5 kg8} --+ {Qa1}}"),
        ("Nf5 kg8 // knight\n", "path {Nf5 kg8} --+ {Qa1} // knight\n"),
        ("flip Nf5", "flip {path {Nf5} --+ {Qa1}}"),
        ("♘f5 find ♚g8", "♘f5 find {♚g8 find {♕a1}}"),
        ("path Nf5 -- kg8", "path Nf5 -- kg8 --+ {Qa1}"),
    ],
)
def test_a_step_is_added_to_what_is_there(text: str, expected: str) -> None:
    edit = steps.add_step(text, 0, pattern("Qa1"))
    assert edit.applied(text) == expected
    assert shown(expected, edit.caret)[1][-1] == "{Qa1}"


def test_the_marks_of_a_step_are_edited_in_its_place() -> None:
    text = "path {Nf5} -- /* then */ {kg8}"
    found = steps.sequence_at(text, 0)
    assert found is not None
    edit = editing.put(text, found.steps[1].span.end, 1 << 4, 1)
    assert edit.applied(text) == "path {Nf5} -- /* then */ {kg8 Ra1}"


@pytest.mark.parametrize(
    "text",
    ["", "Nf5", "path --", "path Nf5--e4 {kg8}", "path focus N {Nf5} -- {kg8}", "find all {Nf5}", "path {"],
)
def test_other_texts_hold_no_sequence(text: str) -> None:
    assert steps.sequence_at(text, 0) is None
    for edit in (
        steps.remove_step(text, 0, 0),
        steps.move_step(text, 0, 0, 1),
        steps.set_gap(text, 0, 0, steps.NEXT_MOVE),
        steps.set_form(text, 0, "find"),
    ):
        assert edit.changes == ()


ACTIONS = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(["Qa1", "Kh1 check", "not Ra1 // why\n", "a1|b1"])),
    st.tuples(st.just("remove"), st.integers(0, 5)),
    st.tuples(st.just("move"), st.integers(0, 5), st.integers(0, 5)),
    st.tuples(st.just("gap"), st.integers(0, 5), st.sampled_from([Gap(1, 1), Gap(1, 6), Gap(2, None)])),
)


@given(
    st.sampled_from(["path {Nf5} -- {kg8}", "flip {Nf5 find {kg8 // king\n}}", 'player "x" ♘f5 find ♚g8']),
    st.lists(ACTIONS, max_size=6),
)
def test_any_sequence_of_edits_gives_the_steps_that_were_made(text: str, actions: list[tuple]) -> None:  # type: ignore[type-arg]
    caret = 0
    for action, *given_ in actions:
        found = steps.sequence_at(text, caret)
        assert found is not None
        wanted, gaps, count = list(found.steps), list(found.gaps), len(found.steps)
        if action == "add":
            new = pattern(given_[0])
            wanted.append(new)
            gaps.append(steps.ANY_TIME if found.form == "path" else Gap(0, None))
            edit = steps.add_step(text, caret, new)
        elif action == "remove" and count > 2:
            place = given_[0] % count
            del wanted[place]
            del gaps[max(place - 1, 0)]
            edit = steps.remove_step(text, caret, place)
        elif action == "move":
            place, to = given_[0] % count, given_[1] % count
            wanted.insert(to, wanted.pop(place))
            edit = steps.move_step(text, caret, place, to)
        elif action == "gap" and found.form == "path":
            gaps[given_[0] % len(gaps)] = given_[1]
            edit = steps.set_gap(text, caret, given_[0] % len(gaps), given_[1])
        else:
            continue
        text, caret = edit.applied(text), edit.caret
        after = steps.sequence_at(text, caret)
        assert after is not None, text
        assert [writing.text_of(one) for one in after.steps] == [writing.text_of(one) for one in wanted], text
        assert list(after.gaps) == gaps


def test_an_edit_that_would_lose_a_comment_changes_nothing() -> None:
    text = "{Nf5 find {kg8} // and the king\n}"
    for edit in (
        steps.move_step(text, 8, 1, 0),
        steps.remove_step(text, 8, 1),
        steps.set_form(text, 8, "path"),
    ):
        assert edit.changes == ()
    assert steps.set_form("path {Nf5} // the knight first\n -- {kg8}", 8, "find").changes == ()


@pytest.mark.parametrize(
    ("text", "moved", "removed"),
    [
        # Comments, lines and spelling stay.
        (
            "path {Nf5} // first\n  -- {kg8} --+ {Ra1}",
            "path {kg8} // first\n  -- {Nf5} --+ {Ra1}",
            "path {Nf5} // first\n  --+ {Ra1}",
        ),
        (
            "path {♘f5}\n  -- {kg8 Ra1}\n  -- {Qd1}",
            "path {kg8 Ra1}\n  -- {♘f5}\n  -- {Qd1}",
            "path {♘f5}\n  -- {Qd1}",
        ),
        # Brackets around a path keep it from what follows.
        (
            "(path {Nf5} -- {kg8} -- {a1}) {Ra1}",
            "(path {kg8} -- {Nf5} -- {a1}) {Ra1}",
            "(path {Nf5} -- {a1}) {Ra1}",
        ),
        ("♔e1 path {Nf5 x=3} -- {Ra1->kg8}", "♔e1 path {Ra1->kg8} -- {Nf5 x=3}", "♔e1 {Nf5 x=3}"),
        ("(path {Nf5} -- {kg8}) find {Qd1}", "(path {kg8} -- {Nf5}) find {Qd1}", "({Nf5}) find {Qd1}"),
        ("{find {Nf5}}", "{Nf5 find {true}}", "{true}"),
        ("find {kg8 Ra1}", "kg8 Ra1 find {true}", "true"),
        ("{Nf5} find {kg8 Ra1}", "kg8 Ra1 find {{Nf5}}", "{Nf5}"),
        ("Nf5 find {path {kg8} -- {Ra1}}", "(path {kg8} -- {Ra1}) find {Nf5}", "Nf5"),
    ],
)
def test_the_rest_of_a_sequence_stays_as_it_is_written(text: str, moved: str, removed: str) -> None:
    caret = 8 if text.startswith(("{", "path", "(", "♔")) else 0
    assert steps.move_step(text, caret, 1, 0).applied(text) == moved
    assert steps.remove_step(text, caret, 1).applied(text) == removed


@pytest.mark.parametrize(
    ("text", "removed", "moved"),
    [
        ("flipcolor find {kg8 Ra1}", "flipcolor {kg8 Ra1}", "flipcolor {kg8 Ra1 find {true}}"),
        ("{flipcolor find {kg8 Ra1}}", "{flipcolor {kg8 Ra1}}", "{flipcolor {kg8 Ra1 find {true}}}"),
        (
            "shift find {kg8 find {Ra1 Qd1}}",
            "shift {kg8 find {Ra1 Qd1}}",
            "shift {kg8 find {true find {Ra1 Qd1}}}",
        ),
    ],
)
def test_a_transform_without_braces_goes_on_turning_all_that_is_left(
    text: str, removed: str, moved: str
) -> None:
    caret = text.index("find")
    assert steps.remove_step(text, caret, 0).applied(text) == removed
    assert steps.move_step(text, caret, 0, 1).applied(text) == moved


def test_the_step_that_is_left_is_drawn() -> None:
    text = "Ra1 path {Nf5} -- {kg8}"
    edit = steps.remove_step(text, 12, 0)
    after = edit.applied(text)
    assert after == "Ra1 {kg8}"
    drawn = reading.pattern_at(after, edit.caret)
    assert drawn is not None
    assert [one.squares for one in drawn.marks] == [1 << 62]


def test_steps_that_cannot_stand_so_are_left_alone() -> None:
    text = "x=3 Nf5 find {kg8 x>2}"
    assert steps.move_step(text, 0, 1, 0).changes == ()


def test_a_step_behind_a_path_is_a_step_of_its_own() -> None:
    text = "Nf5 find {path {kg8} -- {Ra1}}"
    edit = steps.add_step(text, 0, pattern("Nc6"))
    assert edit.applied(text) == "Nf5 find {(path {kg8} -- {Ra1}) find {Nc6}}"
    assert steps.add_step("(path {Nf5} -- {kg8}) Ra1", 3, pattern("Nc6")).applied(
        "(path {Nf5} -- {kg8}) Ra1"
    ) == ("(path {Nf5} -- {kg8} --+ {Nc6}) Ra1")


@pytest.mark.parametrize("text", ["path {Nf5} --(kg8) -- {Ra1}", "path {Nf5} -- ({kg8}) -- {Ra1}"])
def test_a_gap_before_a_target_in_brackets_is_another_gap_and_nothing_else(text: str) -> None:
    edit = steps.set_gap(text, 0, 0, Gap(2, 5))
    after = edit.applied(text)
    found = steps.sequence_at(after, 0)
    assert found is not None, after
    assert list(found.gaps) == [Gap(2, 5), Gap(1, 1)]
    assert [len(one.marks) for one in found.steps] == [1, 1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "path quiet {Nf5} -- {kg8}", "path firstmatch {Nf5} -- {kg8}", 'path title "x" {Nf5} -- {kg8}',
        "path max (ply) {Nf5} -- {kg8}", "{Nf5 find quiet {kg8}}",
    ],
)  # fmt: skip
def test_what_a_row_of_steps_cannot_show_is_no_sequence(text: str) -> None:
    found = steps.sequence_at(text, 8)
    assert found is None or len(found.steps) == 1
