"""The orbits of a query's transforms, for the picker and for the counts of a search."""

from __future__ import annotations

from cqlgui.cql import transforms
from cqlgui.tasks import model, queries


def orbits(text: str) -> tuple[model.Orbit, ...]:
    """The outermost transforms of a query with their elements, all counts 0; raises `queries.Rejected`."""
    return tuple(describe(info) for info in queries.expanded(text).orbits)


def describe(info: transforms.OrbitInfo, counts: dict[int, tuple[int, int]] | None = None) -> model.Orbit:
    """An orbit as plain data; `counts` gives (games, positions) by element."""
    found = counts or {}
    return model.Orbit(
        transform=info.transform,
        offset=info.span.offset,
        length=info.span.length,
        elements=tuple(
            model.ElementCount(
                text=element.text,
                transform=element.transform,
                words=element.words,
                games=found.get(place, (0, 0))[0],
                positions=found.get(place, (0, 0))[1],
                squares=element.squares,
                lines=element.lines,
            )
            for place, element in enumerate(info.elements)
        ),
        invalid=tuple(_dropped(info.invalid)),
        duplicates=tuple(_dropped(info.duplicates)),
    )


def _dropped(infos: tuple[transforms.DroppedInfo, ...]) -> list[model.Dropped]:
    return [
        model.Dropped(text="", transform=info.transform, words=info.words, reason=info.reason)
        for info in infos
    ]
