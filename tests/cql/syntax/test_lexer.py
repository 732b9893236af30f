"""Tokens: they cover every text, and each form of section 2 is recognised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.cql.source.tokens import TRIVIA, Kind
from cqlgui.cql.syntax.reading import lexer

SCRAPS = st.sampled_from(
    [
        "K",
        "[RB]a1-4",
        "♖♘a1-4",
        "[♖♘]",
        "flip",
        "⬓",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "[x]",
        "--",
        "―",
        "-->",
        "{2,3}",
        '"a"',
        '"',
        "\\n",
        "\\",
        "/*",
        "*/",
        "//",
        "///",
        "\n",
        " ",
        "1-0",
        "1",
        "o-o-o",
        "x",
        "[Aa]",
        "◭",
        "∊",
        "≤",
        "\ufeff",
        "\x00",
        "é",
        "$x",
        "_",
        "_a1",
        ".",
        "input",
        "a.pgn",
        ",",
    ]
)


@given(st.lists(SCRAPS | st.text(max_size=5), max_size=40).map("".join))
def test_tokens_cover_every_text_in_order(text: str) -> None:
    found = lexer.tokens(text)
    assert "".join(token.text for token in found) == text
    offset = 0
    for token in found:
        assert token.offset == offset
        assert token.text
        offset = token.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[RB]a1-4", [("designator", "designator")]),
        ("a-h1", [("designator", "designator")]),
        ("B[x]ph7", [("designator", "designator"), ("operator", "[x]"), ("designator", "designator")]),
        ("e2--e4", [("designator", "designator"), ("operator", "--"), ("designator", "designator")]),
        (
            "Rook e4x $x_1 Aa h",
            [("name", "Rook"), ("name", "e4x"), ("name", "$x_1"), ("name", "Aa"), ("name", "h")],
        ),
        ("1/2-1/2 1-0", [("result", "1/2-1/2"), ("result", "1-0")]),
        ("2-1", [("number", "number"), ("operator", "-"), ("number", "number")]),
        ("o-o-o o-o", [("keyword", "o-o-o"), ("keyword", "o-o")]),
        ("{5}", [("operator", "repetition")]),
        ("{ 5}", [("bracket", "{"), ("number", "number"), ("bracket", "}")]),
        ("⬓✵♔a1", [("transform", "flipcolor"), ("transform", "flip"), ("designator", "designator")]),
        ("up", [("direction", "up")]),
        ("x∊S", [("name", "x"), ("operator", "[element]"), ("name", "S")]),
        (
            "[Aa]x∊N",
            [
                ("operator", "piece-declaration"),
                ("name", "x"),
                ("operator", "[element]"),
                ("designator", "designator"),
            ],
        ),
        ("[Aa]a1", [("designator", "designator")]),
        (
            "s[0:2]",
            [
                ("name", "s"),
                ("bracket", "["),
                ("number", "number"),
                ("operator", ":"),
                ("number", "number"),
                ("bracket", "]"),
            ],
        ),
        ("//// a\n/* b */ ; c\n// d\nmate", [("keyword", "mate")]),
        ("///A", [("keyword", "///"), ("designator", "designator")]),
    ],
)
def test_recognises(text: str, expected: list[tuple[str, str]]) -> None:
    scanned = lexer.scan(text)
    assert scanned.diagnostics == ()
    assert [
        (token.kind.value, token.word) for token in scanned.tokens if token.kind not in TRIVIA
    ] == expected


@pytest.mark.parametrize(
    ("text", "men", "squares"),
    [
        ("a1", 0b1111111111111, 1),
        ("A", 0b1111110, 2**64 - 1),
        ("K[a1,b1-2]", 1 << 6, 1 | 2 | 1 << 9),
        ("♖♘h8", 1 << 4 | 1 << 2, 1 << 63),
    ],
)
def test_reads_designators(text: str, men: int, squares: int) -> None:
    (token,) = lexer.tokens(text)
    assert (token.kind, token.men, token.squares) == (Kind.DESIGNATOR, men, squares)


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        ("K[a1, b1]", "bad-designator", 6),
        ("Rd-a1", "bad-designator", 1),
        ("Ra5-2", "bad-designator", 2),
        ("[Ra1,Nb1]", "bad-designator", 0),
        ("[♔Q]", "bad-designator", 0),
        ("♖♖", "bad-designator", 0),
        ("R[a1,b2", "bad-designator", 1),
        ("{,}", "bad-repetition", 0),
        ("{5,2}", "bad-repetition", 0),
        ('event "x\ny"', "unterminated-string", 6),
        ("mate /* x", "unterminated-comment", 5),
        ("mate @@", "stray-character", 5),
        ("player 'Tal'", "stray-character", 7),
        ("'é'", "stray-character", 0),
        ("mate '", "stray-character", 5),
        ("99999999999", "number-too-large", 0),
    ],
)
def test_says_what_is_wrong_and_where(text: str, code: str, offset: int) -> None:
    (found,) = lexer.scan(text).diagnostics
    assert (found.code, found.span.offset) == (code, offset)
