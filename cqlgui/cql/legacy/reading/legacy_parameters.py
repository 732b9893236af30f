"""Reads the usual parameters of keywords in the old dialects, and reports missing parameters and unknown
keywords."""

from __future__ import annotations

from typing import Final

from cqlgui.cql.legacy.reading import legacy_designators, legacy_ranges, legacy_reader
from cqlgui.cql.source import diagnostics

MEANT: Final = {":promotion": ":promote", ":endmost": ":terminal"}
"""Wrong keywords that occur in old examples, each with the correct keyword."""


def no_equivalent(
    word: legacy_reader.Word, problems: legacy_reader.Problems, name: str, reason: str = ""
) -> None:
    """Report a keyword without a CQL 6 equivalent."""
    problems.error(word.span, f"{name} has no CQL 6 equivalent" + (f" ({reason})" if reason else ""))


def unknown(word: legacy_reader.Word, problems: legacy_reader.Problems, name: str) -> None:
    """Report a keyword that exists in none of the dialects."""
    meant = MEANT.get(name)
    problems.error(word.span, f"unknown keyword {name}" + (f" (did you mean {meant}?)" if meant else ""))


def take_designator(
    items: legacy_reader.Items, problems: legacy_reader.Problems, after: str
) -> legacy_designators.Designator | None:
    """Take the designator that must follow the keyword `after`; None after a reported problem."""
    word = items.word()
    if word is None:
        problems.error(items.place, f"piece designator expected after {after}")
        return None
    items.take()
    return designator(word, problems)


def designator(
    word: legacy_reader.Word, problems: legacy_reader.Problems
) -> legacy_designators.Designator | None:
    """Parse a word as a designator; None after a reported problem."""
    reading = legacy_designators.read(word.text)
    if reading.designator is not None and reading.designator.tag:
        problems.tags.append((word.span, reading.designator.tag))
    if reading.fault:
        problems.error(diagnostics.Span(word.span.offset + reading.start, reading.length), reading.fault)
    elif reading.warning:
        problems.warning(word.span, reading.warning)
    return reading.designator


def take_range(
    items: legacy_reader.Items, problems: legacy_reader.Problems, after: str
) -> legacy_ranges.Range | None:
    """Take the range that must follow the keyword `after`; None after a reported problem."""
    found = legacy_ranges.take(items)
    if found is None:
        problems.error(items.place, f"range expected after {after}")
        word = items.word()
        # If there is a wrong word instead of the range, the wrong word is taken too. Otherwise the word would
        # be reported a second time, as a bad designator.
        if word is not None:
            items.take()
    return found


def take_text(
    items: legacy_reader.Items, problems: legacy_reader.Problems, after: str
) -> legacy_reader.Word | legacy_reader.Quoted | None:
    """Take the word or string that must follow the keyword `after`; None after a reported problem."""
    item = items.peek()
    if isinstance(item, legacy_reader.Quoted) or (
        isinstance(item, legacy_reader.Word) and not item.is_keyword
    ):
        items.take()
        return item
    problems.error(items.place, f"text expected after {after}")
    return None


def take_choices(items: legacy_reader.Items, problems: legacy_reader.Problems, after: str) -> list[str]:
    """Take the members of a list such as `A00,B10-19`, or of a list in brackets; empty after a reported
    problem."""
    listing = items.listing()
    if listing is not None and all(isinstance(item, legacy_reader.Word) for item in listing.items):
        items.take()
        words = [item.text for item in listing.items if isinstance(item, legacy_reader.Word)]
    else:
        found = take_text(items, problems, after)
        words = [found.text] if found is not None else []
    return [part for word in words for part in word.split(",") if part]
