"""The two spellings: golden pairs, and that respelling keeps words, ties, comments and meaning."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cqlgui.cql.checking import check
from cqlgui.cql.editing import spelling
from cqlgui.cql.source import tokens
from cqlgui.cql.syntax.reading import lexer
from cqlgui.tasks.asking import library

PAIRS = [
    ("flipcolor {[RN]a1 & . -> k | _}", "⬓ {♖♘a1 ∩ ▦ → ♚ ∪ □}"),
    ("piece x in [Aa] {x attacks k}", "◭x∊◭ {x attacks ♚}"),
    ("square all x in A|b4 x->k", "∀x∊△∪b4 x→♚"),
    ("piece all y in a y", "∀◭y∊▲ y"),
    ("piece x = K x", "◭x = ♔ x"),
    ("check // A -> k stays\nflip /* A */ B", "check // A -> k stays\n✵ /* A */ ♗"),
    ('player "A" ply>=3 ply!=4', 'player "A" ply≥3 ply≠4'),
    ("square x\n  in\n  A x", "x\n  ∊\n  △ x"),
    ("B[x]ph7", "♗×♟h7"),
    ("b4 e4--e5 b--e4 a[a1,b2]", "b4 e4――e5 ♝――e4 ▲[a1,b2]"),
    ("currentposition :check", "∙ :check"),
]


@pytest.mark.parametrize(("words", "signs"), PAIRS)
def test_either_spelling_gives_the_other(words: str, signs: str) -> None:
    assert spelling.respelled(words, "unicode") == signs
    assert spelling.respelled(signs, "ascii") == words
    assert spelling.has_signs(signs)
    assert not spelling.has_signs(words)


@pytest.mark.parametrize(
    ("signs", "words"),
    [
        ("⬓♔ ✵{♖♘a1-4 ◭a1}", "flipcolor K flip {[RN]a1-4 [Aa]a1}"),
        ("∙――e4", "currentposition --e4"),
        ("-→", "- ->"),
        ("check∙", "check currentposition"),
        ("[♖♘]a1", "[RN]a1"),
        ("x∈A x", "square x in A x"),
        ("♔×♟ 5", "K[x]p 5"),
    ],
)
def test_words_get_the_blanks_that_signs_do_without(signs: str, words: str) -> None:
    assert spelling.respelled(signs, "ascii") == words


@pytest.mark.parametrize(
    ("words", "signs"),
    [
        ("A&--e4", "△∩ ――e4"),
        ("ply>=--e4", "ply≥ ――e4"),
        ("flip --e4", "✵ ――e4"),
        ("P----=N(check)", "♙――――=♘(check)"),
        ("[KK]a1 [aA_]b2", "♔a1 ◭□b2"),
        ("piece /* which */ x in A x", "piece /* which */ x in △ x"),
    ],
)
def test_signs_do_not_tie_a_dash_and_comments_stay(words: str, signs: str) -> None:
    assert spelling.respelled(words, "unicode") == signs


WORDS = [
    "A", "a", "[Aa]", "_", "K", "[RN]a1-4", "b4", "♖♘", "[♖♘]", "◭", "△b2", "Ka1", "x", "flip", "⬓",
    "path", "⊢", "∙", "currentposition", "--", "――", "[x]", "×", "->", "→", "<-", "&", "∩", "|", "∪=",
    "<=", "≥", "!=", "[<]", "≼", "=", "-", "(", ")", "{", "}", ".", "▦", "#", "~", "5", "1-0", '"A→"',
    "// A →\n", "/* A */", "check", "§", "{2}", "*", "+", "?", ":", "<", ">", "[", "]", "◭x", "[Aa]y",
    "[element]", "∀", "///",
]  # fmt: skip


def significant(text: str) -> list[tuple[object, ...]]:
    """What a text says, whatever its spelling."""
    found = [token for token in lexer.tokens(text) if token.kind not in tokens.TRIVIA]
    return [(one.kind, one.word, one.men, one.squares, one.string, one.number) for one in found]


def loose_dashes(text: str) -> list[bool]:
    """For each dash, whether nothing is tied to it from the left."""
    found = lexer.tokens(text)
    return [
        i == 0 or found[i - 1].text[-1:] in "({:+-*/><,~=∊◎∙✵⬓|&" or found[i - 1].text[-1].isspace()
        for i, token in enumerate(found)
        if token.word in ("--", "[x]")
    ]


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["", " ", "\n", "  "]))))
@example([("A", ""), ("[", "")])
def test_every_text_keeps_its_words_and_comments(parts: list[tuple[str, str]]) -> None:
    text = "".join(word + blank for word, blank in parts)
    before = significant(text)
    for style in ("unicode", "ascii"):
        after = spelling.respelled(text, style)
        assert spelling.respelled(after, style) == after
        assert [one.text for one in lexer.tokens(after) if one.kind is tokens.Kind.COMMENT] == [
            one.text for one in lexer.tokens(text) if one.kind is tokens.Kind.COMMENT
        ]
        if "∊" not in after and "[element]" not in text:
            assert significant(after) == before
            assert [
                loose for loose, was in zip(loose_dashes(after), loose_dashes(text), strict=True) if was
            ] == [True] * sum(loose_dashes(text))
        changes = spelling.changes(text, style)
        assert all(a.end <= b.start for a, b in itertools.pairwise(changes))


FUNCTION_BODY = re.compile(
    r"""(Function\(name='\w+', parameters=\([^)]*\), body=)('(?:[^'\\]|\\.)*'|"[^"]*")"""
)


def meaning(text: str) -> object:
    """The tree of a query; a function keeps its body as text, in the spelling it was written in."""
    query = check.check(text).query
    return None if query is None else (query.header, FUNCTION_BODY.sub(r"\1...", repr(query.body)))


def test_shipped_queries_mean_the_same_in_both_spellings() -> None:
    for entry in library.entries():
        signs = spelling.respelled(entry.text, "unicode")
        assert meaning(signs) == meaning(entry.text) is not None
        assert spelling.respelled(signs, "ascii") == entry.text


def test_reference_queries_mean_the_same_in_both_spellings(shared: Path) -> None:
    lines = (shared / "conformance" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    for text in (json.loads(line)["query"] for line in lines):
        before = meaning(text)
        for style in ("unicode", "ascii"):
            assert meaning(spelling.respelled(text, style)) == before, text


def test_tidying_takes_away_blanks_only() -> None:
    assert spelling.tidied("\n\n a  \r\n\n\n\nb /* c  \n d */ \n \t\n") == " a\n\nb /* c\n d */\n\t\n"
    assert spelling.tidied("") == ""
