"""Finds the files that a query wants to read or write and that the user has not allowed yet (D11)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cqlgui.base import errors
from cqlgui.base.data import dataclass
from cqlgui.cql.transforming import transforms
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import files
from cqlgui.tasks.results import search_model


@dataclass(frozen=True, slots=True)
class Wish:
    """A request to read or write the file `name`. `verb` is `read` or `write`. `name` is empty if the query
    computes the name. `folder` is the folder that the user would have to allow."""

    verb: str
    name: str
    folder: Path


class Wanted(errors.CqlguiError):
    """The query may not run until the user grants the `wishes`."""

    def __init__(self, wishes: Sequence[Wish]) -> None:
        super().__init__(f"This query wants to {wishes[0].verb} files, and no folder was allowed for that.")
        self.wishes = tuple(wishes)


def wishes(
    expanded: transforms.Expanded, options: search_model.SearchOptions, beside: Path
) -> tuple[Wish, ...]:
    """The files that a query needs outside the allowed folders.

    A relative name is looked up only in `beside`, the folder of the query or of the games. There is no wish
    for a folder that is already allowed. If a file in an allowed folder cannot be reached, the search fails
    and reports the reason.
    """
    found: dict[Wish, None] = {}
    for use in sorted(queries.file_uses(expanded), key=lambda use: use.node.span.offset):
        allowed = options.allow_read if use.verb == "read" else options.allow_write
        wish = _wish(use.verb, use.name, tuple(folder.resolve() for folder in allowed), beside.resolve())
        if wish is not None:
            found[wish] = None
    return tuple(found)


def _wish(verb: str, name: str | None, allowed: tuple[Path, ...], beside: Path) -> Wish | None:
    if name is None:
        # A computed name is known only at run time.
        return None if any(beside.is_relative_to(one) for one in allowed) else Wish(verb, "", beside)
    try:
        relative = not Path(name).is_absolute()
        place = (beside / name).resolve()
        reached = files.places(name, allowed, beside)
    except (OSError, ValueError, RuntimeError):
        # For a text that is no file name, the search reports the error.
        return None
    folder = beside if relative else place.parent
    if folder in allowed or reached:
        return None
    return Wish(verb, name, folder)
