"""The orbits of a query's transforms, for the picker and for the counts of a search."""

from __future__ import annotations

from cqlgui.base import data, priority
from cqlgui.cql import impossible, transforms
from cqlgui.tasks import model, queries


def orbits(text: str) -> tuple[model.Orbit, ...]:
    """The outermost transforms of a query with their elements, all counts 0; raises `queries.Rejected`."""
    return tuple(describe(info) for info in queries.expanded(text).orbits)


def describe(info: transforms.OrbitInfo) -> model.Orbit:
    """An orbit as plain data, all counts 0."""
    elements = []
    # All elements are built alike, so one of them tells.
    asks = any(impossible.names_pawns(element.filter) for element in info.elements[:1])
    for element in info.elements:
        # There may be thousands.
        priority.pause()
        elements.append(
            model.ElementCount(
                text=element.text,
                transform=element.transform,
                words=element.words,
                games=0,
                positions=0,
                squares=element.squares,
                lines=element.lines,
                never=impossible.reason(element.filter) if asks else "",
            )
        )
    return model.Orbit(
        transform=info.transform,
        offset=info.span.offset,
        length=info.span.length,
        elements=tuple(elements),
        invalid=tuple(_dropped(info.invalid)),
        duplicates=tuple(_dropped(info.duplicates)),
    )


def counted(orbit: model.Orbit, counts: dict[int, tuple[int, int]]) -> model.Orbit:
    """The orbit with (games, positions) by the place of its elements."""
    elements = list(orbit.elements)
    for place, (games, positions) in counts.items():
        elements[place] = data.replace(elements[place], games=games, positions=positions)
    return data.replace(orbit, elements=tuple(elements))


def _dropped(infos: tuple[transforms.DroppedInfo, ...]) -> list[model.Dropped]:
    return [model.Dropped(transform=info.transform, words=info.words, reason=info.reason) for info in infos]
