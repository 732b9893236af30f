"""A query text from bytes: words of the language, names, numbers and pieces of whole queries in any order.

Bytes are an address, not noise: close byte strings give close texts, so that a fuzzer that follows coverage
can learn what leads deeper.
"""

from __future__ import annotations

from pathlib import Path

from cqlgui.cql.syntax.reading.lexer import tokens as scan
from cqlgui.cql.vocabulary import registry

ROOT = Path(__file__).resolve().parents[3]

_PLAIN = (
    "Ra1", "kh8", "[QR]b2-7", "A", "a", "K", "Pe4", "_", ".", "[]", "♘♗", "▲", "x", "y", "f", "D", "p1",
    "$z", "0", "1", "2", "3", "7", "-1", "100000", '"a"', '"e4"', '""', '"[a-c]+"', '"1-0"', '"White"',
    "1-0", "{2,3}", "{*}", "{+}", "{1,}", "(", ")", "{", "}", "[", "]", "\n", "\n\n", "///", "//", "/*",
    "*/", ";", "\\0", "\\-1", "\\n", '"', "cql()", "cql(", "cql(variations)", "\u00e9", "\U0001f600", "e4x",
    "--e4", "N--", "R[x]q", "--=Q", "--(check)",
)  # fmt: skip


def _vocabulary() -> tuple[str, ...]:
    words: dict[str, None] = {}
    for row in registry.ROWS:
        words[row.name] = None
        if row.sign:
            words[row.sign] = None
    return (*_PLAIN, *words)


def _fragments() -> tuple[tuple[str, ...], ...]:
    """Token runs of queries that work: every example of the registry and every query that comes along."""
    texts = [row.example for row in registry.ROWS if row.example]
    texts += [path.read_text("utf-8") for path in sorted((ROOT / "resources" / "queries").rglob("*.cql"))]
    return tuple(tuple(token.text for token in scan(text)) for text in texts)


def _changed(fragment: tuple[str, ...], first: int, second: int) -> tuple[str, ...]:
    """A query with one token gone, doubled, at another place, or with another one in its stead."""
    if not fragment:
        return ()
    at, other = first % len(fragment), second % len(fragment)
    new = {
        0: (),
        1: (fragment[at],) * 2,
        2: (fragment[other],),
        3: (VOCABULARY[second],),
        4: (fragment[at], VOCABULARY[second]),
        5: (_BRACKETS[second % len(_BRACKETS)],),
    }[(first + second) % 6]
    return (*fragment[:at], *new, *fragment[at + 1 :])


_BRACKETS = ("(", ")", "{", "}", "[", "]", "cql({", "cql(")
VOCABULARY = _vocabulary()
FRAGMENTS = _fragments()


def text_of(data: bytes) -> str:
    """The text that bytes stand for; every byte string is one."""
    parts: list[str] = []
    place = 0

    def byte() -> int:
        nonlocal place
        place += 1
        return data[place - 1] if place <= len(data) else 0

    while place < len(data) and len(parts) < 400:
        kind = byte()
        if kind < 96:
            parts.append(VOCABULARY[(byte() << 8 | byte()) % len(VOCABULARY)])
            parts.append("" if kind % 8 == 0 else " ")
        elif kind < 200:
            fragment = FRAGMENTS[(byte() << 8 | byte()) % len(FRAGMENTS)]
            first, length = byte(), byte()
            start = first % (len(fragment) or 1) if kind < 160 else 0
            if kind < 160:
                parts += fragment[start : start + 1 + length % 24]
            elif kind < 180:
                parts += fragment
            else:
                parts += _changed(fragment, first, length)
            parts.append(" ")
        elif kind < 250:
            parts.append("(){}[]:&|~<>=#+-*/,. \n"[byte() % 22])
        else:
            parts.append(chr(byte() << 8 | byte()))
    return "".join(parts)
