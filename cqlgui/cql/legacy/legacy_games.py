"""Reads `(match ...)`: header keywords, conditions on games, tags and position lists."""

from __future__ import annotations

import re
from typing import Final

from cqlgui.base import data
from cqlgui.cql.legacy import legacy_logic, legacy_positions
from cqlgui.cql.legacy.reading import (
    legacy_designators,
    legacy_facts,
    legacy_nodes,
    legacy_parameters,
    legacy_reader,
)

MOST_TAGS: Final = 2
_TAG_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_LOGIC: Final = (":and", ":or", ":xor", ":cond")
_HEADER: Final = (":pgn", ":output", ":gamenumber", ":forany", ":eithercolor")
KEYWORDS: Final = frozenset((*_LOGIC, *_HEADER, ":not"))
"""The keywords that a match list may contain in addition to `legacy_facts.KEYWORDS`."""


def read(listing: legacy_reader.Listing, problems: legacy_reader.Problems) -> legacy_nodes.Match:
    """Read a bracketed list that begins with the word `match`."""
    reader = _Reader(listing, problems, nested=False)
    return reader.built()


class _Reader:
    """Reads the items of a match list. A `nested` list is an operand of `:and` or a similar keyword. A nested
    list may contain only conditions on games."""

    def __init__(
        self, listing: legacy_reader.Listing, problems: legacy_reader.Problems, *, nested: bool
    ) -> None:
        self.items = legacy_reader.Items(listing.items, listing.span, 1)
        self.problems = problems
        self.nested = nested
        self.match = legacy_nodes.Match()
        self.filters: list[str] | None = []
        self.negated = False
        self.lists: list[legacy_nodes.PositionList] = []
        for item in self.items:
            if isinstance(item, legacy_reader.Word) and item.is_keyword:
                self._keyword(item)
            elif isinstance(item, legacy_reader.Listing) and item.head == "position":
                if nested:
                    problems.error(item.span, "no position list may stand here")
                else:
                    self.lists.append(legacy_positions.read(item, problems))
            elif isinstance(item, legacy_reader.Word) and item.text == "position":
                problems.error(item.span, "(position …) expected: position stands in brackets")
            else:
                problems.error(item.span, "keyword or (position …) expected here")

    def built(self) -> legacy_nodes.Match:
        filters = None if self.filters is None else tuple(self.filters)
        return data.replace(self.match, lists=tuple(self.lists), filters=filters, negated=self.negated)

    def conjuncts(self) -> legacy_logic.Conjuncts:
        """The conditions of a nested list as filters."""
        return legacy_logic.negated(self.filters) if self.negated else self.filters

    def _keyword(self, word: legacy_reader.Word) -> None:
        name = word.text.removeprefix("!")
        before = self.filters
        if word.text.startswith("!"):
            self.filters = []
        if name in legacy_facts.KEYWORDS:
            self._fact(legacy_reader.Word(word.span, name))
        elif name in _LOGIC:
            self._logic(name)
        elif name == ":not":
            self._negation()
        elif name in _HEADER:
            if word.text.startswith("!"):
                self.problems.error(word.span, f"! cannot stand before {name}")
            if self.nested:
                self.problems.error(word.span, f"{name} can only stand in the outermost (match …)")
            self._header(legacy_reader.Word(word.span, name))
        else:
            known = name in legacy_positions.KEYWORDS
            if known:
                self.problems.error(word.span, f"{name} can only stand in a position list")
            else:
                legacy_parameters.unknown(word, self.problems, name)
            self.items.skip_plain()
        if word.text.startswith("!"):
            self.filters = legacy_logic.joined([before, legacy_logic.negated(self.filters)])

    def _add(self, parts: legacy_logic.Conjuncts) -> None:
        self.filters = legacy_logic.joined([self.filters, parts])

    def _fact(self, word: legacy_reader.Word) -> None:
        text = legacy_facts.read(word, self.items, self.problems)
        if word.text == ":hasvariations":
            self.match = data.replace(self.match, variations=True)
        self._add(None if text is False else [] if text is True else [text])

    def _logic(self, name: str) -> None:
        listing = self.items.listing()
        if listing is None:
            self.problems.error(self.items.place, f"list of match lists expected after {name}")
            return
        self.items.take()
        inner = (listing,) if listing.head == "match" else listing.items
        found = []
        for item in inner:
            if isinstance(item, legacy_reader.Listing) and item.head == "match":
                found.append(self._nested(item))
            else:
                self.problems.error(item.span, "(match …) expected here")
        if len(inner) < (2 if name == ":cond" else 1):
            self.problems.error(listing.span, f"too few lists after {name}")
        elif found:
            ways = {
                ":and": legacy_logic.every,
                ":or": legacy_logic.some,
                ":xor": legacy_logic.one_of,
                ":cond": legacy_logic.cases,
            }
            self._add(ways[name](found))

    def _negation(self) -> None:
        listing = self.items.listing("match")
        if listing is None:
            self.negated = True
        else:
            self.items.take()
            self._add(legacy_logic.negated(self._nested(listing)))

    def _nested(self, listing: legacy_reader.Listing) -> legacy_logic.Conjuncts:
        inner = _Reader(listing, self.problems, nested=True)
        if inner.match.variations:
            self.match = data.replace(self.match, variations=True)
        return inner.conjuncts()

    def _header(self, word: legacy_reader.Word) -> None:
        if word.text in (":pgn", ":output"):
            name = legacy_parameters.take_text(self.items, self.problems, word.text)
            if name is None:
                return
            if not name.text or re.search(r'["\r\n]', name.text):
                self.problems.error(name.span, f"bad file name after {word.text}")
                return
            if not name.text.endswith((".pgn", ".PGN")):
                self.problems.warning(
                    name.span, "file left out: CQL 6 only takes files whose name ends in .pgn"
                )
            elif word.text == ":pgn":
                self.match = data.replace(self.match, input=name.text)
            else:
                self.match = data.replace(self.match, output=name.text)
        elif word.text == ":gamenumber":
            limits = legacy_parameters.take_range(self.items, self.problems, word.text)
            if limits is None:
                return
            if limits.high is not None and limits.high < 0:
                self.problems.error(word.span, "games are numbered from 1")
                return
            self.match = data.replace(self.match, games=limits)
        elif word.text == ":eithercolor":
            self.match = data.replace(self.match, either_colour=True)
        else:
            self._tag(word)

    def _tag(self, word: legacy_reader.Word) -> None:
        name = legacy_parameters.take_text(self.items, self.problems, word.text)
        men = legacy_parameters.take_designator(self.items, self.problems, word.text)
        if name is None or men is None:
            return
        bare = name.text.removeprefix("$")
        tags = self.match.tags
        if not _TAG_NAME.fullmatch(bare):
            self.problems.error(name.span, f"bad tag name {name.text}")
        elif any(tag.name == bare for tag in tags):
            self.problems.error(name.span, f"tag ${bare} is declared twice")
        elif len(tags) == MOST_TAGS:
            self.problems.error(word.span, f"more than {MOST_TAGS} tags have no CQL 6 equivalent")
        elif men.tag or men.promoted is not None or "_" in men.pieces:
            self.problems.error(word.span, f"letters of pieces expected after {word.text}")
        else:
            pieces = men.pieces or legacy_designators.canonical("Aa")
            tag = legacy_nodes.Tag(word.span, bare, pieces)
            self.match = data.replace(self.match, tags=(*tags, tag))
