"""Decides from the tags of games which games an import takes, before the moves are read.

A filter has the language of `game_filter`, and words for any other tag:

    tag (: | =) pattern    the whole value of the tag fits the pattern; `*` stands for any characters

An example is `elo>2200 timecontrol:600+*`. Case is ignored, in the names of tags too. The number of moves
(`plies`) is not known before the moves are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Final

import numpy as np

from cqlgui.base import arrays, folding
from cqlgui.db import game_filter, headers, openings

MORE: Final = "more"
_Mask = Callable[[headers.Table], np.ndarray]
_MOST_KNOWN: Final = 1 << 17
"""Answers about this many texts are remembered."""


class Sieve:
    """A filter on tags, which threads may share. Raises `game_filter.FilterError` for a filter that cannot be
    understood."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.columns: set[str] = set()
        """The columns of `headers.Table` that the filter needs, and `MORE` for the tags without a column."""
        self._seen: dict[str, bool] = {}
        self._terms = [(word.negated, self._term(word)) for word in game_filter.words(text)]

    def passing(self, table: headers.Table) -> np.ndarray:
        """Which games meet every term, as a mask. The table may lack columns that the filter does not
        need."""
        kept = np.ones(len(table), np.bool_)
        for negated, holds in self._terms:
            kept &= ~holds(table) if negated else holds(table)
        return kept

    @property
    def unseen(self) -> list[str]:
        """The tags that the filter names and that no game has had so far."""
        return [name for name, seen in self._seen.items() if not seen]

    def note(self, unseen: Collection[str]) -> None:
        """Note what a sieve with the same filter has seen elsewhere: all tags of the filter but `unseen`."""
        for name in self._seen:
            self._seen[name] = self._seen[name] or name not in unseen

    def _term(self, word: game_filter.Word) -> _Mask:
        name = word.field.lower()
        if name == "plies":
            raise game_filter.FilterError(
                "An import cannot ask for plies, because they are counted when the moves are read."
            )
        if name == game_filter.FILE:
            raise game_filter.FilterError("An import takes all files that are named; it cannot ask for file.")
        if name and name not in game_filter.TEXTS and name not in game_filter.NUMBERS:
            return self._tag(word)
        condition = game_filter.condition(word)
        if isinstance(condition, game_filter.Words):
            if condition.columns == game_filter.TEXTS["opening"]:
                return self._opening(folding.fold(condition.text))
            wanted = folding.fold(condition.text)
            return self._any(condition.columns, lambda text: wanted in folding.fold(text))
        if isinstance(condition, game_filter.Years):
            low, high = condition.low, condition.high
            return self._any(("date",), lambda text: low <= _year(text) <= high)
        if isinstance(condition, game_filter.Codes):
            first, last = condition.low, condition.high
            return self._any(
                ("eco",), lambda text: first <= text.upper() and text.upper()[: len(last)] <= last
            )
        assert isinstance(condition, game_filter.Numbers)
        return self._numbers(condition)

    def _any(self, columns: tuple[str, ...], fits: Callable[[str], bool]) -> _Mask:
        """Whether one of the texts in `columns` fits."""
        self.columns.update(columns)
        remembered = _Remembered(fits)

        def holds(table: headers.Table) -> np.ndarray:
            found: np.ndarray = np.logical_or.reduce([remembered.of(table.texts[name]) for name in columns])
            return found

        return holds

    def _numbers(self, condition: game_filter.Numbers) -> _Mask:
        self.columns.update(condition.columns)
        low, high = max(condition.low, 1), condition.high

        def holds(table: headers.Table) -> np.ndarray:
            columns = [table.numbers[name] for name in condition.columns]
            found: np.ndarray = np.logical_or.reduce([(one >= low) & (one <= high) for one in columns])
            return found

        return holds

    def _opening(self, wanted: str) -> _Mask:
        self.columns.update(("eco", MORE))
        of_code = _Remembered(lambda code: wanted in folding.fold(openings.name(code)))

        def holds(table: headers.Table) -> np.ndarray:
            found = of_code.of(table.texts["eco"])
            for place, name in openings.own_names(table.more, table.more_ends):
                found[place] = wanted in folding.fold(name)
            return found

        return holds

    def _tag(self, word: game_filter.Word) -> _Mask:
        if word.sign not in (":", "=") or not word.value:
            raise game_filter.FilterError(
                f"{word.field} is taken for a tag, and a tag takes a text, as in timecontrol:600+*. Numbers "
                f"are {', '.join(name for name in game_filter.NUMBERS if name != 'plies')}."
            )
        self.columns.add(MORE)
        self._seen[word.field] = False
        # A quote within a value stands behind a backslash, so the name of a tag is found nowhere else.
        tag = re.compile(
            rb'(?:\{|, )"%s": ("[^"\\]*+(?:\\.[^"\\]*+)*+")' % re.escape(word.field.encode("utf-8")), re.I
        )
        parts = [re.escape(part) for part in word.value.split("*")]
        value = re.compile(".*".join(parts), re.I | re.S)
        remembered = _Remembered(lambda text: value.fullmatch(json.loads(text)) is not None)

        def holds(table: headers.Table) -> np.ndarray:
            found = np.zeros(len(table), np.bool_)
            for place, text in openings.tagged(tag, table.more, table.more_ends).items():
                self._seen[word.field] = True
                found[place] = remembered.fits(text.decode("utf-8"))
            return found

        return holds


class _Remembered:
    """A question about texts. Each distinct text is asked once."""

    def __init__(self, fits: Callable[[str], bool]) -> None:
        self._fits = fits
        self._known: dict[str | None, bool] = {}

    def fits(self, text: str | None) -> bool:
        """The answer for a text; False without a text."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            known = self._known[text] = text is not None and self._fits(text)
        return known

    def of(self, column: headers.Coded) -> np.ndarray:
        """The answers for a column."""
        used = arrays.distinct(column.places)
        answers = np.array([self.fits(column.texts[place]) for place in used.tolist()], np.bool_)
        found: np.ndarray = answers[np.searchsorted(used, column.places)]
        return found


def _year(date: str) -> int:
    """The year that a date begins with; -1 without a year."""
    return int(date[:4]) if date[:4].isascii() and date[:4].isdigit() and len(date) >= 4 else -1
