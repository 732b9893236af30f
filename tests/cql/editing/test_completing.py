"""What an editor offers before the caret."""

from __future__ import annotations

from cqlgui.cql.editing import completing
from cqlgui.cql.syntax.reading import lexer


def words(typed: str, text: str = "") -> list[str]:
    return [offer.word for offer in completing.offers(typed, lexer.tokens(text))]


def test_keywords_come_before_names_and_words_that_are_reserved_for_inside_are_left_out() -> None:
    found = words("fl", "flat = A flip flotilla = 3 other = 1")
    assert found[-2:] == ["flat", "flotilla"]
    assert found[0] == "flip"
    assert "substring" not in words("sub")


def test_the_typed_word_itself_is_offered_only_as_a_keyword() -> None:
    assert "mate" in words("mate")
    assert words("mateo", "mateo = A") == []


def test_a_word_may_have_dollars_and_dashes() -> None:
    assert completing.prefix("check o-o") == "o-o"
    assert completing.prefix("x + $a1") == "$a1"
    assert completing.prefix("K ") == ""


def test_the_keys_of_pgn_are_offered_with_it() -> None:
    assert words("pg") == ["pgn", "pgn clk", "pgn emt", "pgn eval"]
    assert words(completing.prefix("not pgn e"), "clk = 3 eval = 4") == ["pgn emt", "pgn eval"]
    assert completing.prefix("mypgn e") == "e"


def test_a_caret_behind_an_open_string_or_a_line_comment_is_inside_of_it() -> None:
    for text, quiet in (('"a', True), ('"a"', False), ("// a", True), ("/* a */", False), ("abc", False)):
        (token,) = lexer.tokens(text)
        assert completing.is_quiet(token, 0, len(text), len(text)) is quiet
        assert not completing.is_quiet(token, 0, len(text), 0)
