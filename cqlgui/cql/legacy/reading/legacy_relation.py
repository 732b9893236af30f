"""Reads the parameters of `:relation (...)` in the old dialects."""

from __future__ import annotations

from typing import Final

from cqlgui.cql.legacy.reading import (
    legacy_designators,
    legacy_nodes,
    legacy_parameters,
    legacy_ranges,
    legacy_reader,
    legacy_shift,
)

_SIDES: Final = {":samesidetomove": "==", ":changesidetomove": "!=", ":ignoresidetomove": ""}
_COUNTS: Final = {":missingpiececount": "missing", ":newpiececount": "new"}
_WITHOUT_MEN: Final = {":originalsamecount": "same", ":originaldifferentcount": "different"}
_NOTHING: Final = legacy_ranges.Range(0, 0)
_ANY_MAN: Final = legacy_designators.Designator("Aa")


def read(
    word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
) -> legacy_nodes.Relation | None:
    """Take the list of parameters; None after a reported problem."""
    listing = items.listing()
    if listing is None:
        problems.error(items.place, f"list of parameters expected after {word.text}")
        return None
    items.take()
    inner = legacy_reader.Items(listing.items, listing.span)
    men = {"missing": _ANY_MAN, "new": _ANY_MAN}
    ranges: dict[str, legacy_ranges.Range] = {}
    side, where, pattern = "==", "mainline", False
    for item in inner:
        name = item.text if isinstance(item, legacy_reader.Word) else ""
        if name in _SIDES:
            side = _SIDES[name]
        elif name in (":variations", ":variationsonly"):
            where = "" if name == ":variations" else "variation"
        elif name == ":pattern":
            pattern = True
        elif name in _COUNTS or name in _WITHOUT_MEN:
            assert isinstance(item, legacy_reader.Word)
            kind = _COUNTS.get(name) or _WITHOUT_MEN[name]
            found = legacy_parameters.take_designator(inner, problems, name) if name in _COUNTS else None
            limits = legacy_parameters.take_range(inner, problems, name)
            if kind in ranges:
                problems.error(item.span, f"{name} may stand only once in {word.text}")
            if found is not None:
                men[kind] = found
                if found.tag:
                    problems.error(item.span, f"tags cannot be used in {word.text}")
            if limits is not None:
                ranges[kind] = limits
        elif name in legacy_shift.VECTORS or name in legacy_shift.FLIPS or name == ":flipcolor":
            assert isinstance(item, legacy_reader.Word)
            legacy_parameters.no_equivalent(item, problems, f"{word.text} with {name}")
        elif isinstance(item, legacy_reader.Word) and item.is_keyword:
            legacy_parameters.unknown(item, problems, name)
            inner.skip()
        else:
            problems.error(item.span, f"keyword expected in the list of {word.text}")
    return legacy_nodes.Relation(
        men["missing"],
        ranges.get("missing", _NOTHING),
        men["new"],
        ranges.get("new", _NOTHING),
        ranges.get("same"),
        ranges.get("different"),
        side,
        where,
        pattern,
    )
