"""Edits of patterns: any sequence of them gives a text with the marks that were made, the rest as it was."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.cql.editing import spelling, structure
from cqlgui.cql.source import designators, tokens
from cqlgui.cql.syntax.reading import lexer
from cqlgui.pattern import editing, marks, reading
from cqlgui.pattern.marks import Relation, Role

TEXTS = [
    "",
    "cql()",
    "cql(variations) // nothing yet",
    "cql() flipcolor {Nf5 kg8}",
    "cql()\n// knight\nNf5 // f5\nkg8 /* k */ check\n// end\n",
    "{♘f5 ♚g8}",
    "Nf5|Nd5 path -- check",
    'player "x" flipcolor { /* a */ Nf5--e7 not /*b*/ kg8 (Ra1|Rb1)\n find check }',
    "Nf5 attacks kg8",
    "flip Nf5",
    "flipcolor (Rg1|Nb1)",
    "flip Nf5|kg8",
    "flip Rg1--Nb1",
    "shift (Nf5 // f5\n|kg8|Ra1) /* end */",
    "if Nf5 {Ra1} find {check}",
    "wtm year >= 2000 #{Ra1} > 0",
    "path {Nf5\n  // the knight\n  kg8} -- {Ra1}",
    "{Nf5}{kg8}and check",
    "cql()not(Rg1)check",
    "flip(Rg1)",
    "flip Rg1|Nb1 Nf5",
    "Nf5 flip{kg8}",
    "flip {Nf5 flip{kg8}}",
    "(Rg1|// rook\nNb1)check kg8",
    "[NB]f5--e7(Ra1|Rb1)(_g8)kg8",
    "{{Nf5} kg8}",
    "kg8 not {Nf5}",
    "{flipcolor Bc4}",
    "{Pe4} {Nf5 {{kg8 Ra1}}}",
    "shift{wtm {{Nf5}}not Qd1 }",
    "Ra1 if {Nf5} then {kg8 wtm} or (Nf5|Rb1)",
    "Nf5{kg8}Ra1",
    "cql()\r\n{Nf5 // f5\r\nkg8}\r\n",
    'comment("{Nf5") Nf5 kg8 // {',
]
MEN = ["N", "[BN]", "A", "_", "k", "", "[Aa]"]
SQUARES = ["f5", "g8", "a1-3", "[a1,h8]", ""]


def designator(text: str) -> tuple[int, int]:
    reading = designators.read(text)
    return reading.men, reading.squares


ASKED = st.tuples(st.sampled_from(MEN), st.sampled_from(SQUARES)).filter(any).map("".join).map(designator)
NUMBER = st.integers(0, 7)
CONDITIONS = {"turn": "wtm", "check": "not check", "year": "1990 <= year <= 1999", "player": 'player "y"'}
STEPS = st.one_of(
    st.tuples(st.just("put"), ASKED, st.sampled_from(Role)),
    st.tuples(st.just("erase"), st.lists(NUMBER, min_size=1, max_size=3)),
    st.tuples(st.just("stand"), st.dictionaries(st.sampled_from([6, 37, 62]), st.sampled_from([2, 4, 64]))),
    st.tuples(st.just("change"), NUMBER, ASKED),
    st.tuples(st.just("role"), NUMBER, st.sampled_from(Role)),
    st.tuples(st.just("arrow"), st.sampled_from(Relation), NUMBER, NUMBER),
    st.tuples(st.just("other arrow"), NUMBER, st.sampled_from(Relation)),
    st.tuples(st.just("no arrow"), NUMBER),
    st.tuples(st.just("condition"), st.sampled_from(sorted(CONDITIONS)), st.booleans()),
    st.tuples(st.just("transforms"), st.lists(st.sampled_from(["flip", "flipcolor", "shift"]), max_size=2)),
)  # fmt: skip


class Model:
    """What a user has on the board, as sets."""

    def __init__(self, pattern: marks.Pattern) -> None:
        self.marks = {(one.men, one.squares, one.role) for one in pattern.marks}
        self.arrows = {
            (one.relation, spot(pattern.marks[one.origin]), spot(pattern.marks[one.target]))
            for one in pattern.arrows
        }
        self.conditions = [(one.kind, ascii_of(one.text)) for one in pattern.conditions]
        self.transforms = pattern.transforms

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return repr(vars(self))


def spot(mark: marks.Mark) -> tuple[int, int]:
    return mark.men, mark.squares


def done(text: str, caret: int, step: tuple) -> tuple[editing.Edit, Model]:  # type: ignore[type-arg]
    """A step as an edit, and the model that it should give."""
    pattern = reading.pattern_at(text, caret)
    assert pattern is not None
    model = Model(pattern)
    action, *given = step

    def chosen(number: int, of: tuple) -> int:  # type: ignore[type-arg]
        return number % len(of)

    def role(place: int, wanted: Role) -> None:
        old = pattern.marks[place]
        model.marks.discard((*spot(old), old.role))
        model.marks.add((*spot(old), wanted))

    def changed(wanted: dict[int, tuple[int, int]]) -> None:
        group = reading.group_at(text, caret)
        assert group is not None
        own = [reading.read(text, group).own(at) is not None for at in range(len(pattern.marks))]
        now = [wanted.get(at, spot(one)) for at, one in enumerate(pattern.marks)]
        written = {spot for spot, here in zip(now, own, strict=True) if here}
        model.marks = {
            (*spot, one.role)
            for spot, one, here in zip(now, pattern.marks, own, strict=True)
            if here or spot not in written
        }
        model.arrows = {(one.relation, now[one.origin], now[one.target]) for one in pattern.arrows}

    nothing = editing.Edit((), caret)
    match action, given:
        case "put", [(men, squares), wanted]:
            known = [place for place, one in enumerate(pattern.marks) if spot(one) == (men, squares)]
            if known and (men, squares, wanted) not in model.marks:
                role(known[0], wanted)
            model.marks.add((men, squares, wanted))
            return editing.put(text, caret, men, squares, wanted), model
        case "erase", [numbers] if pattern.marks:
            places = {chosen(number, pattern.marks) for number in numbers}
            for place in places:
                model.marks.discard((*spot(pattern.marks[place]), pattern.marks[place].role))
            model.arrows = {
                (one.relation, spot(pattern.marks[one.origin]), spot(pattern.marks[one.target]))
                for one in pattern.arrows
                if places.isdisjoint((one.origin, one.target))
            }
            return editing.erase(text, caret, *places), model
        case "change", [number, (men, squares)] if pattern.marks:
            place = chosen(number, pattern.marks)
            changed({place: (men, squares)})
            return editing.change(text, caret, place, men, squares), model
        case "stand", [placed]:
            alone = {
                square: max(at for at, one in enumerate(pattern.marks) if one.squares == 1 << square)
                for square in placed
                if any(one.squares == 1 << square for one in pattern.marks)
            }
            changed({place: (placed[square], 1 << square) for square, place in alone.items()})
            model.marks |= {(men, 1 << at, Role.MUST) for at, men in placed.items() if at not in alone}
            return editing.stand(text, caret, placed), model
        case "role", [number, wanted] if pattern.marks:
            place = chosen(number, pattern.marks)
            role(place, wanted)
            return editing.set_role(text, caret, place, wanted), model
        case "arrow", [relation, first, second] if pattern.marks:
            origin, target = chosen(first, pattern.marks), chosen(second, pattern.marks)
            if origin != target:
                model.arrows.add((relation, spot(pattern.marks[origin]), spot(pattern.marks[target])))
            return editing.add_arrow(text, caret, relation, origin, target), model
        case "other arrow", [number, relation] if pattern.arrows:
            place = chosen(number, pattern.arrows)
            ends = [
                spot(pattern.marks[one])
                for one in (pattern.arrows[place].origin, pattern.arrows[place].target)
            ]
            twins = [
                one
                for one in pattern.arrows
                if (one.relation, spot(pattern.marks[one.origin]), spot(pattern.marks[one.target]))
                == (pattern.arrows[place].relation, *ends)
            ]
            if len(twins) == 1:
                model.arrows.discard((pattern.arrows[place].relation, *ends))
            model.arrows.add((relation, *ends))
            return editing.change_arrow(text, caret, place, relation), model
        case "no arrow", [number] if pattern.arrows:
            place = chosen(number, pattern.arrows)
            model.arrows = {
                (one.relation, spot(pattern.marks[one.origin]), spot(pattern.marks[one.target]))
                for at, one in enumerate(pattern.arrows)
                if at != place
            }
            return editing.remove_arrow(text, caret, place), model
        case "condition", [kind, asked]:
            new = CONDITIONS[kind] if asked else None
            places = [at for at, one in enumerate(model.conditions) if one[0] == kind]
            at = places[0] if places else len(model.conditions)
            kept = [one for one in model.conditions if one[0] != kind]
            new_one = [(kind, CONDITIONS[kind])] if asked else []
            model.conditions = [*kept[:at], *new_one, *kept[at:]]
            return editing.set_condition(text, caret, kind, new), model
        case "transforms", [words]:
            model.transforms = tuple(words)
            return editing.set_transforms(text, caret, tuple(words)), model
    return nothing, model


@given(st.sampled_from(TEXTS), st.data())
def test_any_sequence_of_edits_gives_the_marks_that_were_made(text: str, data: st.DataObject) -> None:
    caret = data.draw(st.integers(0, len(text)))
    for step in data.draw(st.lists(STEPS, max_size=8)):
        before = reading.pattern_at(text, caret)
        assert before is not None
        edit, model = done(text, caret, step)
        assert all(one.end <= other.start for one, other in itertools.pairwise(edit.changes))
        after = edit.applied(text)
        assert spelling.applied(after, inverse(text, edit)) == text
        if edit.changes:
            assert structure.checked(after).query is not None
        pattern = reading.pattern_at(after, edit.caret)
        assert pattern is not None
        assert Model(pattern) == model, (text, step, after)
        assert parts(after, pattern.others) == parts(text, before.others)
        assert comments(after) == comments(text)
        for mark in pattern.marks:
            for span in mark.spans:
                assert designator(ascii_of(after[span.offset : span.end])) == spot(mark)
        text, caret = after, edit.caret


@pytest.mark.parametrize("text", ["", "{Nf5", "check"])
def test_without_marks_or_with_errors_there_is_nothing_to_do(text: str) -> None:
    for edit in (
        editing.erase(text, 0, 0),
        editing.change(text, 0, 0, 4, 1),
        editing.set_role(text, 0, 3, Role.NOT),
        editing.add_arrow(text, 0, Relation.FILE, 0, 1),
        editing.change_arrow(text, 0, 0, Relation.RANK),
        editing.remove_arrow(text, 0, 0),
        editing.put(text, 0, 0, 1),
        editing.set_condition(text, 0, "year", "year >= "),
    ):
        assert edit == editing.Edit((), 0)


def inverse(text: str, edit: editing.Edit) -> list[spelling.Change]:
    found, shift = [], 0
    for one in edit.changes:
        found.append(
            spelling.Change(one.start + shift, one.start + shift + len(one.new), text[one.start : one.end])
        )
        shift += len(one.new) - (one.end - one.start)
    return found


def ascii_of(text: str) -> str:
    return spelling.respelled(text, "ascii")


def parts(text: str, spans: tuple) -> list[str]:  # type: ignore[type-arg]
    return [text[one.offset : one.end] for one in spans]


def comments(text: str) -> list[str]:
    return [one.text for one in lexer.tokens(text) if one.kind is tokens.Kind.COMMENT]


def test_an_arrow_becomes_a_move_before_a_bracket() -> None:
    edit = editing.change_arrow("{Nf5 attacks e7 (Ra1|Rb1)}", 1, 0, Relation.MOVES)
    assert edit.applied("{Nf5 attacks e7 (Ra1|Rb1)}") == "{Nf5--e7 true (Ra1|Rb1)}"


def test_a_filter_and_an_alternative_are_taken_out_together_where_a_dash_stands_in_front() -> None:
    text = "{Nf5--e7 not kg8 (Ra1|Rb1)}"
    pattern = reading.pattern_at(text, 1)
    assert pattern is not None
    assert [one.role for one in pattern.marks[:2]] == [Role.NOT, Role.EITHER]
    # Without the word between them the alternatives would be the target of the dash.
    assert editing.erase(text, 1, 0, 1).applied(text) == "{Nf5--e7 true (Rb1)}"


@pytest.mark.parametrize(
    ("text", "after"),
    [("kg8 not {Nf5}", "kg8 not {Nh5} Bc6"), ("{flipcolor Nf5}", "{flipcolor {Nh5 Bc6}}")],
)
def test_the_caret_stays_in_the_group_that_is_drawn(text: str, after: str) -> None:
    begun = len(text) if text.startswith("{") else 0
    drawn = reading.pattern_at(text, begun)
    assert drawn is not None
    place = next(at for at, one in enumerate(drawn.marks) if one.squares == 1 << 37)
    edit = editing.change(text, begun, place, drawn.marks[place].men, 1 << 39)
    moved = edit.applied(text)
    now = reading.pattern_at(moved, edit.caret)
    assert now is not None
    assert len(now.marks) == len(drawn.marks)
    edit = editing.put(moved, edit.caret, *designator("Bc6"))
    assert edit.applied(moved) == after


def test_a_second_condition_of_a_kind_is_none_of_the_chip() -> None:
    text = '{Nf5 player "Carlsen" player "Anand"}'
    drawn = reading.pattern_at(text, 3)
    assert drawn is not None
    assert [one.text for one in drawn.conditions] == ['player "Carlsen"']
    assert len(drawn.others) == 1
    edit = editing.set_condition(text, 3, "player", 'player "Kasparov"')
    assert edit.applied(text) == '{Nf5 player "Kasparov" player "Anand"}'
    edit = editing.set_condition(text, 3, "player", None)
    assert edit.applied(text) == '{Nf5 player "Anand"}'
