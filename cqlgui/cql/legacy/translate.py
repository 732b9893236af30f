"""Translates scripts of the older dialects, CQL 1-3 and CQL-S 1.0, to CQL 6.2.

The result of `translate` depends on its arguments alone, and `translate` never raises an exception. A
construct without a CQL 6 equivalent becomes a note with a place in the script. All notes are collected in one
pass. `legacy_reader` reads lists and words. `legacy_games` and `legacy_positions` interpret the lists.
`legacy_printing` prints position lists as CQL 6. This module puts the printed parts together.
"""

from __future__ import annotations

import re
from typing import Final

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.cql.checking import check
from cqlgui.cql.legacy import legacy_games, legacy_logic, legacy_positions, legacy_printing, legacy_rules
from cqlgui.cql.legacy.reading import legacy_nodes, legacy_ranges, legacy_reader
from cqlgui.cql.source import diagnostics

Note = legacy_reader.Note
looks_old = legacy_reader.looks_old
ShiftRule = legacy_rules.ShiftRule

NO_EQUIVALENT: Final = "no CQL 6 equivalent"
"""If the translator understands a construct, but CQL 6 has no equivalent, the note about the construct
contains this text."""
ALREADY_NEW: Final = "this is CQL 6 already and stays as it is"
_LAST_GAME: Final = 1_000_000_000
_NEW = re.compile(r"(?:[\s\ufeff]|;[^\n]*+|//[^\n]*+|/\*(?:(?!\*/).)*+\*/)*+cql\s*\(", re.DOTALL)
_BARE_FILE = re.compile(r"[A-Za-z0-9._/\\:-]+")


@dataclass(frozen=True, slots=True)
class Translation:
    """The CQL 6 text (empty if a note is an error), and the notes in the order of the script."""

    text: str
    notes: tuple[Note, ...]

    @property
    def failed(self) -> bool:
        """Whether a note is an error. If a note is an error, `text` is empty."""
        return any(note.severity == "error" for note in self.notes)


def translate(text: str, *, shift_rule: ShiftRule = "auto", skip_start: bool = False) -> Translation:
    """Translate a script.

    `shift_rule` matters if the old rule for shifts and the rule of CQL 6 give different lists. "auto" writes
    out up to 24 lists. If there are more lists, "auto" uses the CQL 6 keyword and gives a warning. "exact"
    writes out all lists. "cql6" always uses the keyword. `skip_start` excludes the start position from every
    list without `:initial`.
    """
    if not looks_old(text) and _is_new(text):
        return Translation(text, (Note(diagnostics.NOWHERE, "warning", ALREADY_NEW),))
    problems = legacy_reader.Problems()
    match = _read(text, problems)
    if match is None:
        return Translation("", problems.notes())
    _check_names(match, problems)
    # The text is printed even after errors, so that errors of printing are reported too.
    shown = _Layout(match, problems, shift_rule, skip_start).text()
    return Translation("" if problems.failed else shown, problems.notes())


def _is_new(text: str) -> bool:
    return _NEW.match(text) is not None or check.check(text).query is not None


def _read(text: str, problems: legacy_reader.Problems) -> legacy_nodes.Match | None:
    items = legacy_reader.read(text, problems)
    lists = [item for item in items if isinstance(item, legacy_reader.Listing)]
    whole = next((one for one in lists if one.head in ("match", "position")), None)
    for item in items:
        if item is whole:
            continue
        if whole is None:
            problems.error(item.span, "(match …) expected")
            return None
        problems.error(item.span, "only one (match …) may stand in a script")
    if whole is None:
        problems.error(diagnostics.Span(max(0, len(text.rstrip()) - 1), 1), "(match …) expected")
        return None
    if whole.head == "position":
        return legacy_nodes.Match(lists=(legacy_positions.read(whole, problems),))
    return legacy_games.read(whole, problems)


def _check_names(match: legacy_nodes.Match, problems: legacy_reader.Problems) -> None:
    """Report tags and accumulators that are not declared. Also report combinations of keywords that have no
    CQL 6 equivalent."""
    tags = {tag.name for tag in match.tags}
    for span, name in problems.tags:
        if name not in tags:
            problems.error(span, f"unknown tag ${name}")
    nodes = legacy_nodes.walk(match)
    accumulators = {node.accumulate for node in nodes if isinstance(node, legacy_nodes.PositionList)}
    for node in nodes:
        if isinstance(node, legacy_nodes.Sum) and node.name not in accumulators:
            problems.error(node.span, f":sumrange of unknown accumulator {node.name}")
        if isinstance(node, legacy_nodes.Relation) and match.tags:
            problems.error(match.tags[0].span, ":forany with :relation has no CQL 6 equivalent")
        if isinstance(node, legacy_nodes.PositionList) and node.colour and match.either_colour:
            problems.error(node.span, ":flipcolor may not stand in a list under :eithercolor")
    for one in match.lists:
        if one.match_count is not None and one.transformed_count is not None:
            problems.error(one.span, ":matchcount with :pretransformmatchcount has no CQL 6 equivalent")


class _Layout:
    """Puts the header, the game filters and the position lists together."""

    def __init__(
        self,
        match: legacy_nodes.Match,
        problems: legacy_reader.Problems,
        shift_rule: ShiftRule,
        skip_start: bool,
    ) -> None:
        self._match = match
        self._skip_start = skip_start
        nodes = legacy_nodes.walk(match)
        self._variations = match.variations or any(
            node.line if isinstance(node, legacy_nodes.PositionList) else node.where != "mainline"
            for node in nodes
            if isinstance(node, legacy_nodes.PositionList | legacy_nodes.Relation)
        )
        accumulators: dict[str, tuple[legacy_nodes.PositionList, ...]] = {}
        for node in nodes:
            if isinstance(node, legacy_nodes.PositionList) and node.accumulate:
                accumulators[node.accumulate] = (*accumulators.get(node.accumulate, ()), node)
        self._context = legacy_printing.Context(
            problems,
            accumulators,
            shift_rule,
            legacy_printing.Names(frozenset(tag.name for tag in match.tags)),
            variations=self._variations,
        )

    def text(self) -> str:
        header_count, lines = self._lines()
        if self._match.either_colour and lines:
            lines = [f"flipcolor {legacy_logic.block(lines)}"]
        if lines is None:
            lines = ["false"]
        return "\n".join([f"cql({self._header(header_count)})", *(lines or ["true"])]) + "\n"

    def _header(self, count: legacy_ranges.Range | None) -> str:
        match = self._match
        words = [f"input {_file(match.input)}"] if match.input else []
        words += [f"output {_file(match.output)}"] if match.output else []
        words += [f"gamenumber {match.games.words(_LAST_GAME, 1)}"] if match.games else []
        words += [f"matchcount {count.words(legacy_printing.MANY_MATCHES)}"] if count else []
        words += ["variations"] if self._variations else []
        words += ["quiet"] if match.lists and all(one.silent for one in match.lists) else []
        return " ".join(words)

    def _lines(self) -> tuple[legacy_ranges.Range | None, legacy_logic.Conjuncts]:
        """The range for `matchcount`, and the filters, one per line."""
        match = self._match
        filters = None if match.filters is None else list(match.filters)
        if self._is_plain():
            (one,) = match.lists
            return one.match_count, legacy_logic.joined([filters, self._list(one)])
        found = [self._find(one) for one in match.lists]
        if match.negated:
            whole = legacy_logic.negated(legacy_logic.joined([filters, *found]))
            return None, legacy_logic.joined([["initial"], whole])
        lines = legacy_logic.joined(found)
        for tag in reversed(match.tags):
            lines = self._bound(tag, lines)
        return None, legacy_logic.joined([["initial"], filters, lines])

    def _is_plain(self) -> bool:
        """Whether the match is a single list that needs no `find`."""
        match = self._match
        if len(match.lists) != 1 or match.tags or match.negated:
            return False
        (one,) = match.lists
        return one.transformed_count is None and not (one.match_count and one.match_count.holds(0))

    def _list(
        self, one: legacy_nodes.PositionList, wrap: legacy_printing.Wrap | None = None
    ) -> legacy_logic.Conjuncts:
        """A position list of the match, with the filters that restrict it to certain positions."""
        words = ["not initial"] if self._skip_start and not one.initial else []
        if self._variations and one.line != ":variations":
            words.append("variation" if one.line else "mainline")
        context = data.replace(self._context, confined=not one.line)
        if wrap is None:
            return legacy_logic.joined([words, legacy_printing.conjuncts(one, context)])
        return legacy_printing.transformed(
            one, context, lambda parts: wrap(legacy_logic.joined([words, parts]))
        )

    def _find(self, one: legacy_nodes.PositionList) -> legacy_logic.Conjuncts:
        """A position list as a condition on the game."""
        if one.transformed_count is not None:
            limits = one.transformed_count
            return self._list(one, lambda parts: _counted(parts, limits))
        return _counted(self._list(one), one.match_count)

    def _bound(self, tag: legacy_nodes.Tag, lines: legacy_logic.Conjuncts) -> legacy_logic.Conjuncts:
        """A loop over the men that a tag may mean. The loop contains the filters `lines`. The loop also
        includes pawns that become one of these men by promotion."""
        pieces = tag.pieces
        pawns = "".join(
            pawn
            for pawn, kinds in (("P", "QRBN"), ("p", "qrbn"))
            if set(kinds) & set(pieces) and not {pawn, "A" if pawn == "P" else "a"} & set(pieces)
        )
        name = f"${tag.name}"
        first = [f"find {{{name} & {_letters(pieces)}}}"] if pawns else []
        if tag is not self._match.tags[0]:
            first.insert(0, f"not {name} & ${self._match.tags[0].name}")
        body = legacy_logic.joined([first, lines])
        if body is None:
            return None
        return [f"piece {name} in {_letters(pieces + pawns)} {legacy_logic.block(body)}"]


def _counted(parts: legacy_logic.Conjuncts, limits: legacy_ranges.Range | None) -> legacy_logic.Conjuncts:
    """The condition that the number of matching positions is in a range. Without a range, the filters must
    hold at one position at least."""
    if parts is None:
        return [] if limits is not None and limits.holds(0) else None
    if limits is None:
        return [f"find {legacy_logic.block(parts)}"] if parts else []
    if limits.high is not None and limits.high <= 0:
        return [f"not find {legacy_logic.block(parts)}"] if limits.holds(0) else None
    if limits.high is None and limits.holds(0):
        return []
    return [f"find {limits.words(legacy_printing.MANY_MATCHES)} {legacy_logic.block(parts)}"]


def _letters(pieces: str) -> str:
    return f"[{pieces}]" if len(pieces) > 1 else pieces


def _file(name: str) -> str:
    return name if _BARE_FILE.fullmatch(name) else f'"{name}"'
