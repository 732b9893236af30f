"""Makes the TextMate grammar of CQL, with which editors colour queries, from the lexer and the registry.

    python packaging/make_grammar.py [FILE]

The patterns stand in the order in which the lexer tries them, and the last one takes any character.
So an editor finds the same tokens as the lexer, with two exceptions. A grammar knows single lines only,
so it does not see a string or a file name that goes on in the next line. And a stray `[` behind another
fault may count as a bracket.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cqlgui.cql.source import designators
from cqlgui.cql.source.tokens import Kind
from cqlgui.cql.syntax.reading import lexer
from cqlgui.cql.vocabulary import registry

TARGET = Path(__file__).parent / "vscode" / "chess-cql.tmLanguage.json"
SCOPES = {
    Kind.KEYWORD: "keyword.control",
    Kind.TRANSFORM: "support.function.transform",
    Kind.DIRECTION: "variable.other.enummember.direction",
    Kind.NUMBER: "constant.numeric",
    Kind.STRING: "string.quoted",
    Kind.DESIGNATOR: "constant.language.designator",
    Kind.OPERATOR: "keyword.operator",
    Kind.COMMENT: "comment",
    Kind.NAME: "variable.other",
    Kind.BRACKET: "punctuation.section",
    Kind.RESULT: "constant.numeric.result",
    Kind.ERROR: "invalid.illegal",
}
"""The names that colour themes know, for each kind of token."""

_NAME = "[A-Za-z$_][A-Za-z0-9$_]*"
_END = "(?![A-Za-z0-9$_])"
_DECLARATION = r"(?:\[Aa\]|◭)(?=[A-Za-z$_])"
_REST = r"[^\[\](){}\"]{0,400}\]?"
"""A malformed list of squares or pieces, after its bracket."""


def main(arguments: list[str]) -> int:
    """Write the grammar."""
    target = Path(arguments[0]) if arguments else TARGET
    target.write_text(grammar(), encoding="utf-8", newline="\n")
    return 0


def grammar() -> str:
    """The text of the grammar."""
    made = {
        "name": "CQL (chess)",
        "scopeName": "source.chess-cql",
        "fileTypes": ["cql"],
        "patterns": list(_patterns()),
    }
    return json.dumps(made, ensure_ascii=False, indent=2) + "\n"


def _patterns() -> Iterable[dict[str, Any]]:
    # Four slashes begin a comment, and three slashes are a filter.
    yield _rule(Kind.COMMENT, r"////.*|//(?!/).*|;.*")
    yield {"name": _scope(Kind.COMMENT), "begin": r"/\*", "end": r"\*/"}
    yield _rule(Kind.KEYWORD, "///")
    yield from _before_list(Kind.RESULT, r"(?:1-0|0-1|1/2-1/2)(?![\w/-])")
    yield from _before_list(Kind.NUMBER, "[0-9]+")
    yield from _before_list(Kind.OPERATOR, r"\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\}")
    yield _rule(Kind.KEYWORD, f"o-o(?:-o)?{_END}")
    yield _rule(Kind.STRING, r'"[^"]*"|"[^"]*$|\\[ntr"\\]')
    yield _rule(Kind.OPERATOR, r"\\-?[0-9]{1,2}")
    words = _by_kind(word for word in registry.RESERVED if "-" not in word)
    reserved = f"(?:{_either(word for kind in words.values() for word in kind)}){_END}"
    yield _rule(Kind.OPERATOR, f"{_DECLARATION}(?!{reserved})(?!{designators.PATTERN})")
    yield _rule(Kind.DESIGNATOR, f"{designators.PATTERN}|{_DECLARATION}")
    yield _rule(Kind.ERROR, designators.HALF_PATTERN + _REST)
    yield {
        "match": r'(input|output)(?:\s+([^\s()<>"]+))',
        "captures": {"1": {"name": _scope(Kind.KEYWORD)}, "2": {"name": _scope(Kind.STRING)}},
    }
    for kind in (Kind.TRANSFORM, Kind.DIRECTION):
        yield from _before_list(kind, f"(?:{_either(words[kind])}){_END}")
    yield _rule(Kind.KEYWORD, f"(?:{_either(words[Kind.KEYWORD])}){_END}")
    yield _rule(Kind.NAME, _NAME)
    signs = _by_kind(lexer.UNICODE_WORDS)
    yield from _before_list(Kind.TRANSFORM, _either(signs[Kind.TRANSFORM]))
    yield _rule(Kind.KEYWORD, _either(signs[Kind.KEYWORD]))
    operators = [one for one in (*lexer.OPERATORS, *lexer.UNICODE_OPERATORS) if one != "[]"]
    yield from _before_list(Kind.OPERATOR, _either(one for one in operators if one[-1] in "]}"))
    yield _rule(Kind.BRACKET, r"\[\]")
    yield _rule(Kind.OPERATOR, _either(operators))
    # Directly after a name, a keyword, a string or a bracket, `[` begins a subscript.
    subscripted = "".join(signs[Kind.KEYWORD])
    yield _rule(Kind.BRACKET, rf"(?<=[A-Za-z0-9$_\"')}}\]{subscripted}])\[|(?<=///)\[|[(){{}}\]]")
    yield _rule(Kind.ERROR, rf"\[{_REST}")
    yield _rule(Kind.STRING, "'[^'\"]*'")
    yield _rule(Kind.ERROR, rf"[^{lexer.STARTERS}]+|[^\s\ufeff]")


def _before_list(kind: Kind, pattern: str) -> Iterable[dict[str, Any]]:
    """Rules for a token that takes no subscript: if no other token begins with the `[` directly behind it, a
    malformed list does."""
    others = _either(one for one in lexer.OPERATORS if one[0] == "[")
    starts = f"{_DECLARATION}|{designators.PATTERN}|{others}"
    yield {
        "match": rf"({pattern})(?!{starts})(\[{_REST})",
        "captures": {"1": {"name": _scope(kind)}, "2": {"name": _scope(Kind.ERROR)}},
    }
    yield _rule(kind, pattern)


def _rule(kind: Kind, pattern: str) -> dict[str, Any]:
    return {"name": _scope(kind), "match": pattern}


def _scope(kind: Kind) -> str:
    return f"{SCOPES[kind]}.chess-cql"


def _by_kind(words: Iterable[str]) -> dict[Kind, list[str]]:
    found: dict[Kind, list[str]] = {}
    for word in sorted(words):
        found.setdefault(registry.token_kind(lexer.UNICODE_WORDS.get(word, word)), []).append(word)
    return found


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
