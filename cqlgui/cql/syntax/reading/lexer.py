"""Splits a text into tokens (language spec, section 2). Every text, however broken, becomes a sequence of
tokens that covers the whole text.

`tokens(text)` returns the tokens, which the editor highlights. `scan(text)` returns the tokens and the
lexical errors. Each lexical error is a diagnostic. Some tokens with an error, for example a descending range,
still have a usable value. All other tokens with an error are of kind ERROR.
"""

from __future__ import annotations

import re

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.cql.source import designators
from cqlgui.cql.source.diagnostics import Diagnostic, Span
from cqlgui.cql.source.tokens import (
    CAPTURE_GROUP,
    FILE_NAME,
    PIECE_DECLARATION,
    REPETITION,
    STRING_LITERAL,
    Kind,
    Token,
)
from cqlgui.cql.vocabulary import registry


@dataclass(frozen=True, slots=True)
class Scanned:
    """All tokens in order (white space and comments too), and the errors in the tokens."""

    tokens: tuple[Token, ...]
    diagnostics: tuple[Diagnostic, ...]


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of `text` in order, including white space and comments. The texts of the tokens, joined,
    give `text` again."""
    return scan(text).tokens


def scan(text: str) -> Scanned:
    """The tokens and lexical errors of `text`. This function never raises an exception."""
    return _Lexer(text).run()


MAX_NUMBER = 2**31 - 1
MAX_REPETITION = 100_000
TOO_LONG = "too-long"
UNTERMINATED_COMMENT = "unterminated-comment"
DOUBLE_QUOTES = "strings stand in double quotes"
MAX_FAULTS = 1000
MAX_TOKENS = 200_000

UNICODE_OPERATORS = {
    "▦": ".", "∪": "|", "∩": "&", "∪=": "|=", "∩=": "&=", "→": "->", "←": "<-", "――": "--", "×": "[x]",
    "∊": "[element]", "∈": "[element]", "∀": "[forall]", "≤": "<=", "≥": ">=", "≠": "!=",
    "≺": "[<]", "≻": "[>]", "≼": "[<=]", "≽": "[>=]",
}  # fmt: skip
UNICODE_WORDS = {"⊢": "path", "◎": "focus", "∙": "currentposition", "✵": "flip", "⬓": "flipcolor"}
OPERATORS = [
    "[element]",
    "[forall]",
    "-->",
    "<--",
    "{*}",
    "{+}",
    "->",
    "<-",
    "~~",
    "<=",
    ">=",
    "==",
    "!=",
    "+=",
    "-=",
    "*=",
    "/=",
    "%=",
    "|=",
    "&=",
    "[<]",
    "[<=]",
    "[>]",
    "[>=]",
    "=?",
    "[]",
    "--",
    "[x]",
    "+",
    "-",
    "*",
    "/",
    "=",
    ">",
    "<",
    ".",
    "|",
    "?",
    ":",
    "#",
    "~",
    "&",
    "%",
    ",",
]
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", '\\"': '"', "\\\\": "\\"}


def _either(words: list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


# Characters that may begin a token. A run of other characters becomes one token of kind ERROR.
STARTERS = r"\sA-Za-z0-9$_\"\\;/{}()\[\]\ufeff" + re.escape(
    "".join(
        sorted({sign[0] for sign in (*OPERATORS, *UNICODE_OPERATORS, *UNICODE_WORDS, *designators.FIGURINES)})
    )
)
_SCANNER = pattern(
    rf"""
    (?P<space>\s+|\ufeff+)
    |(?P<comment>////[^\n]*|//(?!/)[^\n]*|;[^\n]*|/\*[\s\S]*?\*/)
    |(?P<open_comment>/\*[\s\S]*)
    |(?P<slashes>///)
    |(?P<result>(?:1-0|0-1|1/2-1/2)(?![\w/-]))
    |(?P<number>[0-9]+)
    |(?P<repetition>\{{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\}})
    |(?P<castle>o-o(?:-o)?(?![A-Za-z0-9_$]))
    |(?P<string>"[^"\n]*")
    |(?P<open_string>"[^"\n]*)
    |(?P<escape>\\[ntr"\\])
    |(?P<group>\\-?[0-9]{{1,2}})
    |(?P<declaration>(?:\[Aa\]|◭)(?=[A-Za-z$_]))
    |(?P<designator>{designators.PATTERN})
    |(?P<half_designator>{designators.HALF_PATTERN})
    |(?P<name>[A-Za-z$_][A-Za-z0-9$_]*)
    |(?P<unicode_word>{_either(list(UNICODE_WORDS))})
    |(?P<operator>{_either(OPERATORS + list(UNICODE_OPERATORS))})
    |(?P<bracket>[(){{}}\[\]])
    |(?P<stray>[^{STARTERS}]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_NAME = pattern(r"[A-Za-z$_][A-Za-z0-9$_]*")
_FILE_NAME = pattern(r'[^\s()<>"]+')
_SINGLE_QUOTED = pattern(r"'[^'\"\n]*'")
_SQUARE_LIST = pattern(r"\[[^\[\](){}\"\n]{0,400}\]?")
# A `[` directly after a token of one of these kinds begins a subscript, not a designator.
_SUBSCRIPTED = frozenset({Kind.NAME, Kind.KEYWORD, Kind.STRING})


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.diagnostics: list[Diagnostic] = []

    def run(self) -> Scanned:
        text, position, length = self.text, 0, len(self.text)
        match = _SCANNER.match
        while position < length:
            found = match(text, position)
            assert found is not None, "the last alternative takes any character"
            group = found.lastgroup
            assert group is not None
            position = _RULES[group](self, found.group(), position)
            if len(self.tokens) >= MAX_TOKENS and position < length:
                message = f"A query has at most {MAX_TOKENS} words and signs; this one goes on here."
                self.diagnostics = [Diagnostic(Span(position, 1), TOO_LONG, message)]
                position = self.add(Token(Kind.ERROR, text[position:], position, "stray"))
            elif len(self.diagnostics) >= MAX_FAULTS and position < length:
                # A text with `MAX_FAULTS` errors is probably no query. The rest of the text is not scanned.
                position = self.add(Token(Kind.ERROR, text[position:], position, "stray"))
        return Scanned(tuple(self.tokens), tuple(self.diagnostics))

    def add(self, token: Token) -> int:
        self.tokens.append(token)
        return token.end

    def fault(self, span: Span, code: str, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(span, code, message, hint))

    def previous(self) -> Token | None:
        """The last token so far, which may be white space or a comment."""
        return self.tokens[-1] if self.tokens else None

    def space(self, text: str, at: int) -> int:
        return self.add(Token(Kind.WHITESPACE, text, at, ""))

    def comment(self, text: str, at: int) -> int:
        return self.add(Token(Kind.COMMENT, text, at, ""))

    def open_comment(self, text: str, at: int) -> int:
        self.fault(Span(at, 2), UNTERMINATED_COMMENT, "This comment is never closed.", "end it with */")
        return self.comment(text, at)

    def result(self, text: str, at: int) -> int:
        return self.add(Token(Kind.RESULT, text, at, text, string=text))

    def number(self, text: str, at: int) -> int:
        digits = text.lstrip("0") or "0"
        value = int(digits) if len(digits) <= 10 else MAX_NUMBER + 1
        if value > MAX_NUMBER:
            self.fault(Span(at, len(text)), "number-too-large", f"Numbers go up to {MAX_NUMBER}.")
            value = MAX_NUMBER
        return self.add(Token(Kind.NUMBER, text, at, "number", number=value))

    def repetition(self, text: str, at: int) -> int:
        bounds = [part for part in text[1:-1].split(",") if part]
        span = Span(at, len(text))
        if not bounds:
            self.fault(
                span, "bad-repetition", "A repetition needs a number.", "write {2}, {2,}, {,5} or {2,5}"
            )
        elif any(len(part) > 6 or int(part) > MAX_REPETITION for part in bounds):
            self.fault(span, "bad-repetition", f"A repetition counts up to {MAX_REPETITION}.")
        elif len(bounds) == 2 and int(bounds[0]) > int(bounds[1]):
            self.fault(span, "bad-repetition", "The first number of a repetition may not be the larger one.")
        return self.add(Token(Kind.OPERATOR, text, at, REPETITION))

    def castle(self, text: str, at: int) -> int:
        return self.add(Token(Kind.KEYWORD, text, at, text))

    def string(self, text: str, at: int) -> int:
        return self.add(Token(Kind.STRING, text, at, STRING_LITERAL, string=text[1:-1]))

    def open_string(self, text: str, at: int) -> int:
        body = text.rstrip("\r")
        # If the next line has an odd number of quotes, the first of these quotes closes this string. The text
        # up to this quote is a part of the string and is not read as query text.
        line = self.text[at + len(text) + 1 : _line_end(self.text, at + len(text) + 1)]
        if line.count('"') % 2:
            self.fault(
                Span(at, len(body)),
                "unterminated-string",
                "A string may not span lines.",
                "join parts with +",
            )
            whole = self.text[at : at + len(text) + 2 + line.index('"')]
            return self.add(Token(Kind.STRING, whole, at, STRING_LITERAL, string=whole[1:-1]))
        self.fault(
            Span(at, len(body)), "unterminated-string", "This string has no closing quote on its line.",
            'a string may not span lines; join parts with + \\n +',
        )  # fmt: skip
        return self.add(Token(Kind.STRING, body, at, STRING_LITERAL, string=body[1:]))

    def escape(self, text: str, at: int) -> int:
        return self.add(Token(Kind.STRING, text, at, "escape", string=_ESCAPES[text]))

    def group(self, text: str, at: int) -> int:
        return self.add(Token(Kind.OPERATOR, text, at, CAPTURE_GROUP))

    def declaration(self, text: str, at: int) -> int:
        # `[Aa]a1` and `[Aa]attacks` begin with a designator. `[Aa]` is a declaration only before a name that
        # is not reserved.
        name = _NAME.match(self.text, at + len(text))
        assert name is not None
        word = name.group()
        if not registry.is_reserved(word) and designators.match_length(self.text, name.start()) == 0:
            return self.add(Token(Kind.OPERATOR, text, at, PIECE_DECLARATION))
        length = designators.match_length(self.text, at)
        if length:
            return self.designator(self.text[at : at + length], at)
        return self.designator(text, at)

    def designator(self, text: str, at: int) -> int:
        reading = designators.read(text)
        for place, length, message in reading.faults:
            self.fault(Span(at + place, length), "bad-designator", message)
        kind = Kind.DESIGNATOR
        return self.add(Token(kind, text, at, "designator", men=reading.men, squares=reading.squares))

    def half_designator(self, text: str, at: int) -> int:
        return self.bad_designator(at, at + len(text) - 1)

    def bad_designator(self, at: int, bracket: int) -> int:
        """A designator with a malformed list of squares or pieces. The designator begins at `at`, and the
        list begins at `bracket`."""
        found = _SQUARE_LIST.match(self.text, bracket)
        assert found is not None
        body = found.group()
        place, length, message, hint = designators.explain(body)
        self.fault(Span(bracket + place, length), "bad-designator", message, hint)
        text = self.text[at : bracket + len(body)]
        return self.add(Token(Kind.ERROR, text, at, "designator"))

    def name(self, text: str, at: int) -> int:
        kind = registry.token_kind(text)
        end = self.add(Token(kind, text, at, text))
        if text in ("input", "output"):
            return self.file_name(end)
        return end

    def file_name(self, at: int) -> int:
        """A bare file name after `input` or `output`. A quoted file name is an ordinary string."""
        gap = at
        while gap < len(self.text) and self.text[gap].isspace():
            gap += 1
        found = _FILE_NAME.match(self.text, gap)
        if gap == at or found is None:
            return at
        self.add(Token(Kind.WHITESPACE, self.text[at:gap], at, ""))
        return self.add(Token(Kind.STRING, found.group(), gap, FILE_NAME, string=found.group()))

    def unicode_word(self, text: str, at: int) -> int:
        word = UNICODE_WORDS[text]
        return self.add(Token(registry.token_kind(word), text, at, word))

    def operator(self, text: str, at: int) -> int:
        kind = Kind.BRACKET if text == "[]" else Kind.OPERATOR
        return self.add(Token(kind, text, at, UNICODE_OPERATORS.get(text, text)))

    def slashes(self, text: str, at: int) -> int:
        return self.add(Token(Kind.KEYWORD, text, at, text))

    def bracket(self, text: str, at: int) -> int:
        if text == "[":
            before = self.previous()
            subscript = before is not None and (
                before.kind in _SUBSCRIPTED or before.word in (")", "}", "]", CAPTURE_GROUP)
            )
            if not subscript:
                return self.bad_designator(at, at)
        return self.add(Token(Kind.BRACKET, text, at, text))

    def stray(self, text: str, at: int) -> int:
        quoted = _SINGLE_QUOTED.match(self.text, at)
        if quoted is not None:
            whole = quoted.group()
            message = "Single quotes mean nothing in CQL."
            self.fault(Span(at, len(whole)), "stray-character", message, DOUBLE_QUOTES)
            return self.add(Token(Kind.STRING, whole, at, STRING_LITERAL, string=whole[1:-1]))
        hint = DOUBLE_QUOTES if text.startswith("'") else ""
        self.fault(Span(at, len(text)), "stray-character", "These characters mean nothing in CQL.", hint)
        return self.add(Token(Kind.ERROR, text, at, "stray"))


_RULES = {
    "space": _Lexer.space,
    "comment": _Lexer.comment,
    "open_comment": _Lexer.open_comment,
    "slashes": _Lexer.slashes,
    "result": _Lexer.result,
    "number": _Lexer.number,
    "repetition": _Lexer.repetition,
    "castle": _Lexer.castle,
    "string": _Lexer.string,
    "open_string": _Lexer.open_string,
    "escape": _Lexer.escape,
    "group": _Lexer.group,
    "declaration": _Lexer.declaration,
    "designator": _Lexer.designator,
    "half_designator": _Lexer.half_designator,
    "name": _Lexer.name,
    "unicode_word": _Lexer.unicode_word,
    "operator": _Lexer.operator,
    "bracket": _Lexer.bracket,
    "stray": _Lexer.stray,
}


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
