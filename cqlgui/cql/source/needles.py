"""Texts of which each match of a regular expression contains at least one. To look for them is many times
faster than to search with the expression.

This module reads the same grammar as `ecmascript`. A new form must be added to both modules."""

from __future__ import annotations

from typing import Final

_LOOKS: Final = ("(?=", "(?!", "(?<=", "(?<!")
_NO_CHARACTER: Final = "dDsSwWbB"
"""Behind a backslash, these letters are classes and places. They stand for no text of their own."""


def of(pattern: str) -> tuple[str, ...]:
    """The texts for a regular expression that `ecmascript.fault` accepts. The result is empty if no such
    texts are known."""
    try:
        return _Reader(pattern).disjunction()
    except _UnknownError:
        return ()


class _UnknownError(Exception):
    pass


class _Reader:
    """One pass over an expression. Each method reads a part of it at `self.at`."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0

    def disjunction(self) -> tuple[str, ...]:
        found = [self.alternative()]
        while self.text.startswith("|", self.at):
            self.at += 1
            found.append(self.alternative())
        return tuple(one for part in found for one in part) if all(found) else ()

    def alternative(self) -> tuple[str, ...]:
        best: tuple[str, ...] = ()
        # Characters that follow one another in each match.
        run = ""
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            inside: tuple[str, ...] = ()
            character = ""
            sign = self.text[self.at]
            if sign == "(":
                inside = self.group()
            elif sign == "[":
                self.bracket()
            elif sign == "\\":
                character = self.escape()
            else:
                self.at += 1
                character = "" if sign in "^$." else sign
            least, counted = self.quantifier()
            if least:
                run += character
                best = _better(best, inside)
            if counted or not character:
                best, run = _better(best, (run,)), ""
        return _better(best, (run,))

    def group(self) -> tuple[str, ...]:
        looks = self.text.startswith(_LOOKS, self.at)
        if looks or self.text.startswith("(?:", self.at):
            self.at += 4 if self.text.startswith("(?<", self.at) else 3
        elif self.text.startswith("(?<", self.at):
            self.at = self.text.index(">", self.at) + 1
        else:
            self.at += 1
        found = self.disjunction()
        self.at += 1
        return () if looks else found

    def bracket(self) -> None:
        self.at += 2 if self.text.startswith("[^", self.at) else 1
        while self.text[self.at] != "]":
            if self.text[self.at] == "[":
                raise _UnknownError
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at += 1

    def escape(self) -> str:
        """The character that an escape means; empty for a class or a place."""
        sign = self.text[self.at + 1]
        self.at += 2
        if sign in _NO_CHARACTER:
            return ""
        if sign.isalnum():
            raise _UnknownError
        return sign

    def quantifier(self) -> tuple[int, bool]:
        """How often the atom before occurs at least, and whether there is a quantifier."""
        sign = self.text[self.at : self.at + 1]
        if sign == "{":
            end = self.text.index("}", self.at)
            least = int(self.text[self.at + 1 : end].partition(",")[0])
            self.at = end + 1
        elif sign and sign in "*+?":
            least = int(sign == "+")
            self.at += 1
        else:
            return 1, False
        if self.text.startswith("?", self.at):
            self.at += 1
        return least, True


def _better(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Of two choices of texts, the one whose shortest text is longer. Empty if both have an empty text."""
    best = max(one, other, key=_shortest)
    return best if _shortest(best) else ()


def _shortest(texts: tuple[str, ...]) -> int:
    return min(map(len, texts), default=0)


__all__ = ["of"]
