"""Translates the regular expressions of queries (ECMAScript, language spec 13.3) for the `regex` package.

This module reads a pattern by the grammar of ECMAScript and writes a new pattern for `regex`. Where
ECMAScript and Python differ, the new pattern has the meaning of ECMAScript. `$` matches only at the end of
the text. `\\d` and `\\w` match ASCII characters only. `.` matches no line end. If a group took no part in the
match, a reference to the group matches the empty text. `[:alpha:]` and similar classes work within brackets,
as in the library of the reference program. If a group in a repetition takes no part in the last round, the
group keeps its text from an earlier round.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from cqlgui.base.data import dataclass
from cqlgui.cql.source import needles

if TYPE_CHECKING:
    import regex

MAX_LENGTH: Final = 5_000
MAX_DEPTH: Final = 50
MAX_UNROLLED: Final = 10_000
"""The maximum number of characters and classes that a pattern may have when every counted repetition is
written out. `regex` writes repetitions out, so `((x{1000}){1000}){1000}` would take gigabytes. A pattern at
this limit takes a few megabytes. No text of a game needs a larger pattern."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a pattern cannot be used. `place` and `length` count code points of the pattern."""

    place: int
    length: int
    message: str
    hint: str = ""


def fault(pattern: str) -> Fault | None:
    """The fault of a pattern, or None."""
    try:
        compiled(pattern)
    except _FaultError as error:
        return error.fault
    return None


@functools.lru_cache(maxsize=256)
def compiled(pattern: str) -> regex.Pattern[str]:
    """The compiled pattern. Call this function only for a pattern without a `fault`."""
    # Importing `regex` is slow, and few queries have a regular expression. The import stands here, so that
    # other queries do not wait for the import.
    import regex

    text = _Reader(pattern).read()
    try:
        return regex.compile(text, regex.V0 | regex.ASCII)
    except (regex.error, OverflowError, RecursionError) as error:
        message = f"This regular expression cannot be used: {error}."
        raise _FaultError(Fault(0, len(pattern), message)) from error


def first(pattern: str, text: str, start: int, seconds: float) -> regex.Match[str] | None:
    """The first match of a pattern at or after an offset. Raises `TimeoutError` after `seconds`."""
    expression, wanted, is_plain = _prepared(pattern)
    # A search for further matches does not look again. It would look through the whole text for each match.
    looks = wanted and start == 0 and (len(wanted) <= _FEW or len(text) <= _SHORT)
    if looks and not any(map(text.__contains__, wanted)):
        return None
    if is_plain and len(text) <= _SHORT:
        # To watch the time takes longer than the search.
        return expression.search(text, start, concurrent=False)
    try:
        # Most searches are over at once. If a search gave the interpreter lock to another thread, it would
        # then wait for the lock longer than it searches.
        return expression.search(text, start, timeout=min(_SLOW, seconds), concurrent=False)
    except TimeoutError:
        return expression.search(text, start, timeout=seconds, concurrent=True)


@functools.lru_cache(maxsize=256)
def _prepared(pattern: str) -> tuple[regex.Pattern[str], tuple[str, ...], bool]:
    """The compiled pattern, texts of which each match contains one, and whether a search in a short text
    needs no watching of its time. It needs none if the pattern is short and has no choices. At each place of
    the text, such a search compares at most as many characters as the pattern has when its counts are written
    out. The counts have at most two digits, so the longest search takes a few milliseconds."""
    counts = [part.partition("}")[0] for part in pattern.split("{")[1:]]
    is_short = len(pattern) <= _SHORT_PATTERN and max(map(len, counts), default=0) <= 2
    wanted = needles.of(pattern)
    is_plain = is_short and _CHOICES.isdisjoint(pattern)
    return compiled(pattern), wanted if len(wanted) <= _MANY else (), is_plain


_SLOW: Final = 0.001
"""A search that takes longer than this number of seconds lets other threads run. A plain pattern in a short
text is not watched."""
_FEW: Final = 4
"""In a long text, looking for more texts than this may take longer than the search."""
_MANY: Final = 16
"""In a short text, looking for more texts than this may take longer than the search."""
_SHORT: Final = 1_000
"""Number of characters of a short text."""
_SHORT_PATTERN: Final = 100
_CHOICES: Final = frozenset("(*+?,")
"""Signs of groups, and of repetitions that may be longer or shorter. Without groups, the alternatives of `|`
are tried one after the other and do not multiply."""


class _FaultError(Exception):
    def __init__(self, found: Fault) -> None:
        super().__init__(found.message)
        self.fault = found


_RUN: Final = 250
_BREAK: Final = r"\B{0}"
"""For a run of characters, `regex` makes tables before its first search. The time for this grows with the
third power of the length: five thousand characters would take half a minute, and nothing could stop the
search. After each `_RUN` terms, the translation has a term that matches the empty text everywhere. This term
ends the run."""
_DIGIT: Final = "0-9"
_WORD: Final = "A-Za-z0-9_"
_SPACE: Final = r"\t\n\v\f\r\x20\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_CLASSES: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_NAMED: Final = {
    "alnum": "A-Za-z0-9", "alpha": "A-Za-z", "blank": r"\x20\t", "cntrl": r"\x00-\x1f\x7f", "digit": _DIGIT,
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\x20\t\n\v\f\r", "upper": "A-Z", "xdigit": "0-9A-Fa-f", "d": _DIGIT, "s": _SPACE, "w": _WORD,
}  # fmt: skip
_CONTROLS: Final = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_ANY: Final = r"[^\n\r\u2028\u2029]"
_BOUNDARY: Final = rf"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_NO_BOUNDARY: Final = rf"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"


class _Reader:
    """One pass over a pattern. Each method reads a part of the pattern at `self.at` and returns the
    translation of this part."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.groups = 0
        # `unrolled` counts the characters and classes so far, with every repetition written out. The limit is
        # `MAX_UNROLLED`. `last_count` is the place and length of the last count such as `{2,5}`.
        self.unrolled = 0
        self.last_count = 0, 0
        self.terms = 0
        self.names: dict[str, int] = {}
        self._count_groups()

    def read(self) -> str:
        """The translation of the whole pattern."""
        if len(self.text) > MAX_LENGTH:
            raise self.error(MAX_LENGTH, 1, f"A regular expression may have {MAX_LENGTH} characters.")
        found = self.disjunction(0)
        if self.at < len(self.text):
            raise self.error(self.at, 1, "This `)` closes nothing.", r"write \) for the character")
        return found

    def error(self, place: int, length: int, message: str, hint: str = "") -> _FaultError:
        return _FaultError(Fault(place, length, f"Malformed regular expression: {message}", hint))

    def peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead : self.at + ahead + 1]

    def starts(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    # -- structure

    def disjunction(self, depth: int) -> str:
        parts = [self.alternative(depth)]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.alternative(depth))
        return "|".join(parts)

    def alternative(self, depth: int) -> str:
        parts: list[str] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.term(depth))
        return "".join(parts)

    def term(self, depth: int) -> str:
        start = self.at
        sign = self.peek()
        if sign in ("*", "+", "?", "{"):
            hint = r"write \{ for the character" if sign == "{" else f"write \\{sign} for the character"
            raise self.error(start, 1, f"`{sign}` has nothing to repeat here.", hint)
        before = self.unrolled
        atom, repeatable = self.atom(depth)
        self.unrolled += 1
        quantifier_at = self.at
        quantifier, rounds = self.quantifier()
        self.unrolled = before + (self.unrolled - before) * rounds
        if self.unrolled > MAX_UNROLLED:
            message = f"written out, the repetitions make more than {MAX_UNROLLED:,} characters here."
            raise self.error(*self.last_count, message, "counts within one another multiply: count less")
        if quantifier and not repeatable:
            length = self.at - quantifier_at
            raise self.error(quantifier_at, length, "a place in the text cannot be repeated.")
        self.terms += 1
        found = atom + quantifier
        return found if self.terms % _RUN else found + _BREAK

    def atom(self, depth: int) -> tuple[str, bool]:
        """The translation of an atom, and whether a quantifier may follow the atom."""
        sign = self.peek()
        if sign == "(":
            return self.group(depth)
        if sign == "[":
            return self.bracket(), True
        if sign == "\\":
            return self.escape()
        self.at += 1
        if sign == "^":
            return r"\A", False
        if sign == "$":
            return r"\Z", False
        if sign == ".":
            return _ANY, True
        return _literal(sign), True

    def group(self, depth: int) -> tuple[str, bool]:
        start = self.at
        if depth >= MAX_DEPTH:
            raise self.error(start, 1, f"brackets nest deeper than {MAX_DEPTH} levels here.")
        repeatable = True
        for opener in ("(?:", "(?=", "(?!", "(?<=", "(?<!"):
            if self.starts(opener):
                self.at += len(opener)
                repeatable = opener == "(?:"
                break
        else:
            opener = "("
            self.at += 1
            if self.peek() == "?":
                if self.peek(1) != "<":
                    message = "behind `(?` only : = ! <= <! or <name> may follow."
                    raise self.error(start, 3, message)
                self.group_name(self.at + 2)
                self.at = self.text.index(">", self.at) + 1
        inside = self.disjunction(depth + 1)
        if self.peek() != ")":
            raise self.error(start, 1, "this bracket is never closed.", r"write \( for the character")
        self.at += 1
        return f"{opener}{inside})", repeatable

    def group_name(self, start: int) -> str:
        """The name of a group. The name begins at `start` and ends before `>`."""
        end = self.text.find(">", start)
        name = self.text[start : max(end, start)]
        if not name.isidentifier() or not name.isascii():
            message = "a group's name consists of letters and digits."
            raise self.error(start - 1, len(name) + 2, message)
        return name

    def quantifier(self) -> tuple[str, int]:
        """The next quantifier and the largest number in the quantifier. The returned number is at least 1. If
        no quantifier follows, the result is an empty text and 1."""
        rounds, sign = 1, self.peek()
        if sign in ("*", "+", "?"):
            self.at += 1
            found = sign
        elif sign == "{":
            found, rounds = self.counted()
        else:
            return "", 1
        if self.peek() == "?":
            self.at += 1
            found += "?"
        return found, rounds

    def counted(self) -> tuple[str, int]:
        start = self.at
        end = self.text.find("}", start)
        bounds = self.text[start + 1 : max(end, start)].split(",")
        right = end > 0 and len(bounds) <= 2 and _is_number(bounds[0])
        if right and len(bounds) == 2:
            right = not bounds[1] or _is_number(bounds[1])
        if not right:
            length = (end + 1 if end > 0 else len(self.text)) - start
            hint = r"write {2}, {2,} or {2,5}, or \{ for the character"
            raise self.error(start, length, "this is no count.", hint)
        numbers = [int(bound) for bound in bounds if bound]
        if len(numbers) == 2 and numbers[0] > numbers[1]:
            raise self.error(start, end + 1 - start, "the first number of a repetition is the larger one.")
        self.at = end + 1
        self.last_count = start, self.at - start
        return self.text[start : self.at], max(1, *numbers)

    # -- characters

    def escape(self) -> tuple[str, bool]:
        start = self.at
        sign = self.peek(1)
        if sign in ("b", "B"):
            self.at += 2
            return (_BOUNDARY if sign == "b" else _NO_BOUNDARY), False
        if sign and sign in "dDsSwW":
            self.at += 2
            return f"[{'^' if sign.isupper() else ''}{_CLASSES[sign.lower()]}]", True
        if sign and sign in "123456789":
            end = start + 2
            while self.text[end : end + 1].isdigit() and self.text[end].isascii():
                end += 1
            number = int(self.text[start + 1 : min(end, start + 6)])
            if number > self.groups:
                raise self.error(start, end - start, f"there is no group {number}.")
            self.at = end
            return f"(?:(?({number})\\{number}|))", True
        if self.starts("\\k<") and self.names:
            name = self.group_name(start + 3)
            if name not in self.names:
                raise self.error(start, len(name) + 4, f"there is no group `{name}`.")
            self.at = start + len(name) + 4
            return f"(?:(?({self.names[name]})\\{self.names[name]}|))", True
        return _literal(self.character()), True

    def character(self) -> str:
        """The character that an escape means."""
        start = self.at
        sign = self.peek(1)
        self.at += 2
        if not sign:
            raise self.error(start, 1, "a lone backslash ends it.", r"write \\ for the character")
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if sign == "0":
            if self.peek().isdigit():
                message = "octal numbers of characters do not exist."
                raise self.error(start, 3, message, r"write \x and two digits")
            return "\0"
        if sign == "c":
            letter = self.peek()
            if not (letter.isascii() and letter.isalpha()):
                raise self.error(start, 2, r"a letter must follow `\c`.")
            self.at += 1
            return chr(ord(letter) % 32)
        if sign == "x":
            return chr(self.hexadecimal(start, 2))
        if sign == "u":
            return self.unicode(start)
        if sign in ("p", "P") and self.peek() == "{":
            message = "Unicode properties cannot be used in a query's regular expression."
            raise _FaultError(Fault(start, 3, message, "name the characters: [a-z]"))
        return sign

    def unicode(self, start: int) -> str:
        if self.peek() == "{":
            end = self.text.find("}", self.at)
            digits = self.text[self.at + 1 : max(end, self.at)]
            if not _is_hexadecimal(digits) or len(digits) > 6 or int(digits, 16) > 0x10FFFF:
                raise self.error(start, 3, "this is no number of a character.")
            self.at = end + 1
            return chr(int(digits, 16))
        number = self.hexadecimal(start, 4)
        if 0xD800 <= number < 0xDC00 and self.starts("\\u"):
            back = self.at
            self.at += 2
            low = self.hexadecimal(back, 4)
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + (number - 0xD800) * 0x400 + low - 0xDC00)
            self.at = back
        return chr(number)

    def hexadecimal(self, start: int, count: int) -> int:
        digits = self.text[self.at : self.at + count]
        if len(digits) < count or not _is_hexadecimal(digits):
            raise self.error(start, 2, f"{count} hexadecimal digits must follow.")
        self.at += count
        return int(digits, 16)

    # -- brackets

    def bracket(self) -> str:
        start = self.at
        self.at += 1
        inverted = self.peek() == "^"
        if inverted:
            self.at += 1
        parts: list[str] = []
        while self.peek() != "]":
            if not self.peek():
                raise self.error(start, 1, "this bracket is never closed.", r"write \[ for the character")
            parts.append(self.member(start))
        self.at += 1
        if not parts:
            return r"[\x00-\U0010ffff]" if inverted else "(?!)"
        return f"[{'^' if inverted else ''}{''.join(parts)}]"

    def member(self, start: int) -> str:
        first = self.single()
        if self.peek() != "-" or self.peek(1) in ("]", ""):
            return first if len(first) != 1 else _literal(first)
        self.at += 1
        last = self.single()
        if len(first) != 1 or len(last) != 1:
            # At least one of the two parts around the dash is a class. The dash therefore makes no range and
            # is an ordinary character.
            return "".join(_literal(one) if len(one) == 1 else one for one in (first, "-", last))
        if ord(first) > ord(last):
            message = f"the range {first}-{last} runs backwards."
            raise self.error(start, self.at - start, message, f"write {last}-{first}")
        return f"{_literal(first)}-{_literal(last)}"

    def single(self) -> str:
        """One character, or a class as the text between `[` and `]`. This text has at least two
        characters."""
        if self.peek() != "\\":
            if self.peek() == "[" and self.peek(1) in (":", ".", "="):
                return self.named_class()
            self.at += 1
            return self.text[self.at - 1]
        sign = self.peek(1)
        if sign == "b":
            self.at += 2
            return "\b"
        if sign == "-":
            self.at += 2
            return "-"
        if sign and sign in "dDsSwW":
            self.at += 2
            return _CLASSES[sign.lower()] if sign.islower() else _inverted(sign.lower())
        if sign and sign in "123456789":
            raise self.error(self.at, 2, "within brackets a group cannot be referred to.")
        return self.character()

    def named_class(self) -> str:
        start, kind = self.at, self.peek(1)
        end = self.text.find(kind + "]", start + 2)
        if end < 0:
            self.at += 1
            return "["
        name = self.text[start + 2 : end]
        if kind != ":":
            message = f"[{kind}{name}{kind}] cannot be used in a query's regular expression."
            raise _FaultError(Fault(start, end + 2 - start, message))
        if name not in _NAMED:
            raise self.error(start, end + 2 - start, f"there is no class [:{name}:].")
        self.at = end + 2
        return _NAMED[name]

    def _count_groups(self) -> None:
        """Number all groups before the pattern is read. A reference may stand before its group, and
        the translation of the reference contains the number of the group."""
        at, inside = 0, False
        while at < len(self.text):
            sign = self.text[at]
            if sign == "\\":
                at += 1
            elif inside:
                inside = sign != "]"
            elif sign == "[":
                inside = True
            elif sign == "(":
                named = self.text.startswith("(?<", at) and self.text[at + 3 : at + 4] not in ("=", "!")
                if named or self.text[at + 1 : at + 2] != "?":
                    self.groups += 1
                if named:
                    name = self.group_name(at + 3)
                    if name in self.names:
                        raise self.error(at + 2, len(name) + 2, f"there is a group `{name}` already.")
                    self.names[name] = self.groups
            at += 1


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _is_hexadecimal(text: str) -> bool:
    return bool(text) and all(sign in "0123456789abcdefABCDEF" for sign in text)


def _literal(sign: str) -> str:
    return sign if sign.isascii() and sign.isalnum() else _number(sign)


def _number(sign: str) -> str:
    """A character written as its number, so that the character has no special meaning in a pattern."""
    code = ord(sign)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _inverted(letter: str) -> str:
    """All characters outside a class, as the text between `[` and `]`."""
    return {
        "d": r"\x00-\x2f\x3a-\U0010ffff",
        "w": r"\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\U0010ffff",
        "s": (
            r"\x00-\x08\x0e-\x1f\x21-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e"
            r"\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
        ),
    }[letter]
