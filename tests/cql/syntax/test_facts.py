"""Filters about the game's text, its output and studies: what is read, refused and printed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.cql.ast import nodes, nodes_facts, nodes_studies
from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer
from cqlgui.cql.source.diagnostics import NOWHERE as AT
from cqlgui.cql.syntax.reading import glyphs
from cqlgui.cql.vocabulary import study_meanings

ERRORS = """
tag White | unexpected-token 4
tag | unexpected-end 3
tag "" | bad-tag-name 4
tag "Ev ent" | bad-tag-name 4
tag "_x" | bad-tag-name 4
settag "X1" "a" | unexpected-token 7
settag("X1") | missing-operand 11
settag() | missing-operand 7
settag("X1" 3) | type-mismatch 12
settag("X 1" "a") | bad-tag-name 7
settag("X1" "a" "b") | too-many-arguments 16
settag("Result" "1-0") | fixed-tag 7
settag("event" "x") | fixed-tag 7
settag("WhiteElo" "2800") | fixed-tag 7
originalcomment "$300" | bad-glyph 16
originalcomment "$0" | bad-glyph 16
originalcomment "a*b" | regular-expression 16
message | unexpected-end 7
message() | too-few-arguments 8
message quiet | unexpected-end 13
hhdb | unexpected-end 4
hhdb foo | unknown-key 5
hhdb first | unknown-key 5
hhdb "composer" | unknown-key 5
hhdb "<nonsense>" | unknown-key 5
hhdb <cook> | unquoted-key 5
hhdb source | undefined-key 5
hhdb prize hm | duplicate-parameter 11
hhdb special special | duplicate-parameter 13
hhdb sort max prize | conflicting-words 10
hhdb prize sort | misplaced-word 11
hhdb sort | unexpected-end 9
hhdb composer == 3 | type-mismatch 17
hhdb gbr "a?" | regular-expression 9
sort "a" ply sort "a" event | sort-key 22
sort "a" ply sort min "a" #A | sort-key 26
sort "a" #A>3 and mate | type-mismatch 9
sort max #A | unexpected-token 9
"""


@pytest.mark.parametrize("row", ERRORS.strip().splitlines(), ids=str)
def test_what_is_wrong_is_told_once_and_at_its_place(row: str) -> None:
    text, _, wanted = row.rpartition(" | ")
    found = check.check(text).errors
    assert [f"{one.code} {one.span.offset}" for one in found] == [wanted]
    assert found[0].message.endswith(".")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ('hascomment "EG"', 'originalcomment "EG"'),
        ('originalcomment "$4"', 'originalcomment "??"'),
        ('originalcomment "$140"', 'originalcomment "$140"'),
        ('originalcomment "$x"', 'originalcomment "$x"'),
        ("originalcomment", "originalcomment"),
        ('message "a"', 'message("a")'),
        ("message quiet ply", "message quiet(ply)"),
        ('settag("N" "a" + "b")', 'settag("N" "a" + "b")'),
        ('tag "Round"', 'tag "Round"'),
        ("hhdb max special prize", "hhdb special prize max"),
        ("hhdb max", "hhdb award max"),
        ("hhdb special", "hhdb special award"),
        ("hhdb sort special", "hhdb sort special award"),
        ("hhdb hm sort special", "hhdb sort special hm"),
        ("hhdb gbr kings", "hhdb gbr kings"),
        ('hhdb "<cook>"', 'hhdb "<cook>"'),
        ('hhdb composer "Reti"', 'hhdb composer "Reti"'),
        ("{hhdb award (max(1 2))}", "{hhdb award (max(1 2))}"),
        ('{originalcomment ("x")}', '{originalcomment ("x")}'),
        ('comment(event " at " originalcomment "!")', 'comment(event (" at ") originalcomment "!")'),
    ],
)
def test_canonical_text(text: str, printed: str) -> None:
    query = check.check(text).query
    assert query is not None
    assert printer.print_node(query.body) == printed
    again = check.check(printed).query
    assert again is not None
    assert again.body == query.body


def test_implicit_search_is_off_where_texts_are_put_together() -> None:
    query = check.check('message(hhdb composer "x")').query
    assert query is not None
    assert isinstance(query.body, nodes_facts.Message)
    assert [type(part) for part in query.body.parts] == [nodes_studies.Study, nodes.String]


@pytest.mark.parametrize("key", sorted(study_meanings.ALL))
def test_every_key_is_read(key: str) -> None:
    spelled = f'"{key}"' if study_meanings.quoted(key) else key
    query = check.check(f"cql(variations) hhdb {spelled}").query
    assert query is not None
    assert query.body == nodes_studies.Study(AT, key)


@pytest.mark.parametrize("sign", glyphs.NUMBERS)
def test_every_glyph_is_read_and_printed(sign: str) -> None:
    query = check.check(f'originalcomment "{sign}"').query
    assert query is not None
    assert query.body == nodes_facts.Glyph(AT, glyphs.NUMBERS[sign])
    assert glyphs.spelling(glyphs.NUMBERS[sign]) == sign


def test_keys_about_variations_are_warned_about_without_them() -> None:
    for text, fixed in (
        ('hhdb "<main>"', 'cql(variations)\nhhdb "<main>"'),
        ("cql() hhdb mainline", "cql(variations) hhdb mainline"),
        ("cql(quiet) not hhdb variation", "cql(variations quiet) not hhdb variation"),
    ):
        (found,) = check.check(text).diagnostics
        assert (found.code, found.severity) == ("needs-variations", "warning")
        assert found.fix is not None
        span = found.fix.span
        assert text[: span.offset] + found.fix.new + text[span.end :] == fixed
    assert not check.check('cql(variations) hhdb "<or>"').diagnostics


_TEXTS = st.sampled_from(
    [
        nodes_facts.Tag(AT, "Round"),
        nodes_facts.OriginalComment(AT),
        *(nodes_studies.Study(AT, key) for key in sorted(study_meanings.TEXTS)),
        nodes.String(AT, "a b"),
        nodes.TagText(AT, "event"),
    ]
)
_NUMBERS = st.sampled_from(
    [
        nodes_studies.Study(AT, "egdiagram"),
        *(
            nodes_studies.StudyAward(AT, category, special, highest)
            for category in ("award", "hm")
            for special in (False, True)
            for highest in (False, True)
        ),
        nodes.Extremum(AT, "max", (nodes.Number(AT, 1), nodes.Measure(AT, "ply"))),
        nodes.Sort(AT, False, "max", "key", nodes.Measure(AT, "ply")),
        nodes.Name(AT, "pieces"),
        nodes.Name(AT, "award"),
    ]
)
_CONDITIONS = st.sampled_from(
    [
        nodes_facts.Glyph(AT, 140),
        nodes_facts.RemoveComment(AT),
        nodes_studies.StudySort(AT, "prize", True),
        nodes_studies.Study(AT, "<cook>"),
        nodes_studies.Study(AT, "U1"),
    ]
)


def _around(inner: st.SearchStrategy[nodes.Node]) -> st.SearchStrategy[nodes.Node]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        several.map(lambda parts: nodes.Compound(AT, parts)),
        st.builds(lambda quiet, parts: nodes_facts.Message(AT, quiet, parts), st.booleans(), several),
        _TEXTS.map(lambda text: nodes_facts.SetTag(AT, "Note", text)),
        st.builds(lambda a, b: nodes.Arithmetic(AT, "+", a, b), _TEXTS, _TEXTS),
        st.builds(lambda a, b: nodes.Compare(AT, "<", a, b), _NUMBERS, _NUMBERS),
        inner.map(lambda one: nodes.Transform(AT, "flip", AT, None, one)),
    )


@settings(max_examples=300, deadline=None)
@given(st.recursive(st.one_of(_TEXTS, _NUMBERS, _CONDITIONS), _around, max_leaves=12))
def test_reading_a_print_gives_the_tree_again(node: nodes.Node) -> None:
    text = printer.print_node(node)
    found = check.check("pieces = 1 award = 2 {(" + text + ")}")
    assert found.query is not None, (text, found.errors)
    assert isinstance(found.query.body, nodes.Compound)
    assert found.query.body.filters[-1] == node, text
