"""The help on a token."""

from __future__ import annotations

from cqlgui.cql.editing import describing
from cqlgui.cql.syntax.reading import lexer


def named(text: str, word: str) -> str | None:
    """The row of a token, asked for with the text up to the middle of the token."""
    token = next(token for token in lexer.tokens(text) if token.text == word)
    row = describing.row_of(token, text[: token.offset + 1])
    return None if row is None else row.name


def test_a_word_is_a_key_only_behind_pgn() -> None:
    assert named("not pgn  eval > 3", "eval") == "pgn eval"
    assert named("not pgn eval > 3", "pgn") == "pgn"
    assert named("eval = 3", "eval") is None
    assert named("mypgn = 3 mypgn eval", "eval") is None
    assert named("pgn clk mate", "mate") == "mate"
