"""Converts a query text between its two spellings: words and letters, or Unicode signs (language spec, 2.6).

The conversion works on tokens, so comments, line breaks and faulty parts stay unchanged. Blanks change only
where a spelling requires the change. For example, `piece x in S` becomes `◭x∊S`, because the keywords need
blanks and the signs do not. A blank is also inserted before a dash if the new spelling would tie the dash to
the token before the dash (language spec, 9.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check
from cqlgui.cql.printing.printers import Style
from cqlgui.cql.source import designators, tokens
from cqlgui.cql.source.tokens import Kind, Token
from cqlgui.cql.syntax.reading import lexer


@dataclass(frozen=True, slots=True)
class Change:
    """`new` replaces the code points `start`..`end` of a text."""

    start: int
    end: int
    new: str


def respelled(text: str, style: Style) -> str:
    """The whole `text` in the spelling `style`. A word that has no Unicode sign stays unchanged."""
    return applied(text, changes(text, style))


def changes(text: str, style: Style) -> tuple[Change, ...]:
    """The changes that convert `text` to the spelling `style`, in text order."""
    found = list(lexer.tokens(text))
    news = _to_signs(found) if style == "unicode" else _to_words(text, found)
    _keep_apart(text, found, news)
    return tuple(
        Change(token.offset, token.end, new)
        for token, new in zip(found, news, strict=True)
        if new != token.text
    )


def applied(text: str, wanted: Sequence[Change]) -> str:
    """`text` with changes applied. The changes must be in text order and must not overlap."""
    parts, at = [], 0
    for change in wanted:
        parts += [text[at : change.start], change.new]
        at = change.end
    return "".join([*parts, text[at:]])


def moved(offset: int, wanted: Sequence[Change]) -> int:
    """The new value of `offset` after the changes `wanted`. An offset inside a replaced part keeps its
    distance from the start of the part, but does not go beyond the end of the new part."""
    shift = 0
    for change in wanted:
        if offset <= change.start:
            break
        if offset < change.end:
            return change.start + shift + min(offset - change.start, len(change.new))
        shift += len(change.new) - (change.end - change.start)
    return offset + shift


def has_signs(text: str) -> bool:
    """Whether some part of a query is spelled with a Unicode sign."""
    return any(
        token.kind not in _UNTOUCHED and any(sign in _SIGNS for sign in token.text)
        for token in lexer.tokens(text)
    )


def tidied(text: str) -> str:
    """`text` without blanks at line ends and without repeated blank lines. The result ends with one line
    break.

    A line that contains only tabs stays unchanged.
    """
    lines = [line.rstrip() or line.strip(" ") for line in text.replace("\r\n", "\n").split("\n")]
    # Comments also lose blanks at line ends and repeated blank lines.
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    joined = "\n".join(kept).strip("\n")
    return joined + "\n" if joined else ""


_SIGN_OF: Final = {word: sign for sign, word in reversed(lexer.UNICODE_OPERATORS.items())} | {
    word: sign for sign, word in lexer.UNICODE_WORDS.items()
}
_SIGN_OF["[element]"] = "∊"
_WORD_OF: Final = {**lexer.UNICODE_OPERATORS, **lexer.UNICODE_WORDS}
_LETTER_SIGN: Final = {letter: sign for sign, letter in designators.FIGURINES.items()}
_SIGNS: Final = frozenset("".join([*_WORD_OF, *designators.FIGURINES, "◭"])) - {"="}
_UNTOUCHED: Final = frozenset({Kind.COMMENT, Kind.STRING, Kind.WHITESPACE, Kind.ERROR})
_DASHES: Final = frozenset({"--", "[x]"})
_LOOSE_BEFORE: Final = tokens.LOOSE_BEFORE_DASH | {""}
"""A dash directly after one of these characters is not tied to the token before the dash (language spec,
9.1)."""
_PIECES: Final = re.compile(r"(\[[^\],\-1-8]+\]|[^\[\]a-h1-8]+|[ab](?![-1-8]))?(.*)", re.DOTALL)


def _to_signs(found: list[Token]) -> list[str]:
    news = [_sign(token) for token in found]
    for i, token in enumerate(found):
        if token.kind is not Kind.KEYWORD or token.word not in ("piece", "square"):
            continue
        head = _Head.read(found, i)
        if head is None:
            continue
        declares = token.word == "piece"
        for place in range(i, head.name):
            news[place] = ""
        news[i] = ("∀" if head.every else "") + ("◭" if declares else "")
        if head.element is None:
            continue
        news[head.element] = "∊"
        for place in (*range(head.name + 1, head.element), head.element + 1):
            if place < len(found) and found[place].text == " ":
                news[place] = ""
    return news


def _to_words(text: str, found: list[Token]) -> list[str]:
    news = [_word(token) for token in found]
    loops = None
    for i, token in enumerate(found):
        if token.text not in ("∊", "∈"):
            if token.text == "◭" and token.word == tokens.PIECE_DECLARATION and _assigned(found, i + 2):
                news[i] = "piece "
            continue
        name = _before(found, i)
        if name is None or found[name].kind is not Kind.NAME:
            continue
        start = name
        declares = name > 0 and found[name - 1].text == "◭"
        if declares:
            start = name - 1
        quantifier = _before(found, start)
        every = quantifier is not None and found[quantifier].text == "∀"
        if every:
            assert quantifier is not None
            start = quantifier
        if not declares:
            # The sign `∊` is also used in loops over the keys of a dictionary. The keyword `square` cannot
            # replace the sign in these loops.
            if loops is None:
                loops = _square_loops(text)
            if found[start].offset not in loops:
                continue
        head = ("piece " if declares else "square ") + ("all " if every else "")
        for place in range(start, name):
            if found[place].kind is not Kind.COMMENT:
                news[place] = ""
        if found[start].kind is Kind.NAME:
            news[name] = head + found[name].text
        else:
            news[start] = head
        tight = i + 1 < len(found) and found[i + 1].kind is not Kind.WHITESPACE
        news[i] = (" " if name == i - 1 else "") + "in" + (" " if tight else "")
    return news


def _sign(token: Token) -> str:
    if token.kind in _UNTOUCHED:
        return token.text
    if token.kind is Kind.DESIGNATOR:
        pieces, squares = _parts(token.text)
        return "".join(dict.fromkeys(_LETTER_SIGN.get(one, one) for one in _any_man(pieces))) + squares
    if token.word == tokens.PIECE_DECLARATION:
        return "◭"
    return _SIGN_OF.get(token.text, token.text)


def _word(token: Token) -> str:
    if token.kind in _UNTOUCHED:
        return token.text
    if token.kind is Kind.DESIGNATOR:
        pieces, squares = _parts(token.text)
        if not any(one in _SIGNS for one in pieces):
            return token.text
        letters = "".join("Aa" if one == "◭" else designators.FIGURINES[one] for one in pieces)
        return (f"[{letters}]" if len(letters) > 1 else letters) + squares
    if token.word == tokens.PIECE_DECLARATION:
        return "[Aa]"
    return _WORD_OF.get(token.text, token.text)


def _parts(text: str) -> tuple[str, str]:
    """The pieces and the squares of a designator. Brackets around the pieces are removed, and brackets around
    the squares are kept."""
    found = _PIECES.fullmatch(text)
    assert found is not None
    return (found[1] or "").strip("[]"), found[2]


def _any_man(pieces: str) -> list[str]:
    """The letters or signs of a list of pieces, one string for each piece. If the list contains both `A` and
    `a`, the sign `◭` replaces these two letters."""
    if "A" in pieces and "a" in pieces:
        return ["◭", *(one for one in pieces if one not in "Aa")]
    return list(pieces)


@dataclass(frozen=True, slots=True)
class _Head:
    """The head of a loop or of a piece assignment, spelled in words. `name` is the token index of the
    variable, and `element` is the token index of `in`."""

    every: bool
    name: int
    element: int | None

    @classmethod
    def read(cls, found: list[Token], start: int) -> _Head | None:
        """The head that begins with the word at `start`. None if the head contains a comment, or if no head
        begins there."""
        place = _behind(found, start)
        every = place is not None and found[place].word == "all"
        if every:
            assert place is not None
            place = _behind(found, place)
        if place is None or found[place].kind is not Kind.NAME:
            return None
        after = _behind(found, place)
        if after is not None and found[after].word == "in":
            return cls(every, place, after)
        if found[start].word == "piece" and not every and _assigned(found, place + 1):
            return cls(False, place, None)
        return None


def _behind(found: list[Token], place: int) -> int | None:
    """The index of the next token, apart from white space; None if a comment or the end of the text comes
    first."""
    place += 1
    if place < len(found) and found[place].kind is Kind.WHITESPACE:
        place += 1
    return place if place < len(found) and found[place].kind not in tokens.TRIVIA else None


def _before(found: list[Token], place: int) -> int | None:
    """The index of the previous token, apart from white space; None if a comment or the beginning of the text
    comes first."""
    place -= 1
    if place >= 0 and found[place].kind is Kind.WHITESPACE:
        place -= 1
    return place if place >= 0 and found[place].kind not in tokens.TRIVIA else None


def _assigned(found: list[Token], place: int) -> bool:
    """Whether the first token from `place` on, apart from white space and comments, is `=`."""
    while place < len(found) and found[place].kind in tokens.TRIVIA:
        place += 1
    return place < len(found) and found[place].word == "="


def _square_loops(text: str) -> frozenset[int]:
    """The offsets of the loops over squares; empty for a text with errors."""
    query = check.check(text).query
    return frozenset() if query is None else frozenset(_starts(query.body))


def _starts(body: nodes.Node) -> Iterator[int]:
    return (node.span.offset for node in nodes.walk(body) if isinstance(node, nodes.SquareLoop))


def _keep_apart(text: str, found: list[Token], news: list[str]) -> None:
    """Insert a blank between neighbouring tokens that the new spelling would merge or tie together."""
    last = -1
    for i, token in enumerate(found):
        if not news[i]:
            continue
        if last >= 0:
            changed = news[last] != found[last].text or news[i] != token.text or last != i - 1
            if changed and (_gets_tied(found, news, last, i) or _wants_blank(found[last], news[last], token)):
                news[i] = " " + news[i]
        last = i
    # The place where a token ends can depend on several later tokens, as in `Ra1-4A`. The new text is
    # therefore read again.
    while blanks := _swallowed(found, news):
        for i in blanks:
            news[i] = " " + news[i]


def _swallowed(found: list[Token], news: list[str]) -> list[int]:
    """The indices of tokens that need a blank before them in the new text. Without the blank, the lexer would
    join the token to the previous token, or would read the previous token differently."""
    read = {token.offset: token for token in lexer.tokens("".join(news))}
    blanks = []
    at, before = 0, -1
    for i, token in enumerate(found):
        if not news[i]:
            continue
        start = at + len(news[i]) - len(news[i].lstrip())
        at += len(news[i])
        if token.kind in tokens.TRIVIA:
            before = -1
            continue
        if before >= 0 and start == at - len(news[i]) and not news[before][-1].isspace():
            left = read.get(start - len(news[before].lstrip()))
            stays = news[before].lstrip() == found[before].text
            differs = left is None or (left.kind, left.text) != (found[before].kind, found[before].text)
            # A designator must remain a designator in the new text.
            broken = found[before].kind is Kind.DESIGNATOR and (
                left is None or left.kind is not Kind.DESIGNATOR
            )
            if start not in read or broken or (stays and differs):
                # With the blank before this token, the lexer may read the next token correctly too. The next
                # token is therefore not tested in this call, but in the next call.
                blanks.append(i)
                before = -1
                continue
        before = i
    return blanks


def _wants_blank(left: Token, new: str, right: Token) -> bool:
    """Whether `left` changes from a sign to a word, and a designator or `{` follows. A blank after the word
    makes the new text easier to read."""
    spelled_out = left.text in lexer.UNICODE_WORDS and new != left.text
    return spelled_out and (right.kind is Kind.DESIGNATOR or right.word == "{")


def _gets_tied(found: list[Token], news: list[str], left: int, right: int) -> bool:
    """Whether a dash is tied to the token before it in the new text, but not in the old text."""
    if found[right].word not in _DASHES or found[right].kind in _UNTOUCHED:
        return False
    before = found[right - 1].text[-1:]
    was = not before.isspace() and before not in _LOOSE_BEFORE
    after = news[left][-1:]
    return not was and not after.isspace() and after not in _LOOSE_BEFORE
