"""Which files a query wants to read and write that the user has not allowed yet (D11)."""

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
    """A wish to `read` or to `write` (`verb`) the file `name` (empty if the query makes up the name), for
    which `folder` would have to be allowed."""

    verb: str
    name: str
    folder: Path


class Wanted(errors.CqlguiError):
    """The query may not run before these wishes are granted."""

    def __init__(self, wishes: Sequence[Wish]) -> None:
        super().__init__(f"This query wants to {wishes[0].verb} files, and no folder was allowed for that.")
        self.wishes = tuple(wishes)


def wishes(
    expanded: transforms.Expanded, options: search_model.SearchOptions, beside: Path
) -> tuple[Wish, ...]:
    """What a query needs beyond the folders that are allowed.

    A relative name begins in the folder `beside` (that of the query or of the games), whatever else is
    allowed. There is no wish for a folder that is allowed already: a file that cannot be reached all the same
    fails in the search, with its reason.
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
        # Where a made-up name leads is known only when it is made.
        return None if any(beside.is_relative_to(one) for one in allowed) else Wish(verb, "", beside)
    try:
        relative = not Path(name).is_absolute()
        place = (beside / name).resolve()
        reached = files.places(name, allowed, beside)
    except (OSError, ValueError, RuntimeError):
        # A text that is no file name fails in the search.
        return None
    folder = beside if relative else place.parent
    if folder in allowed or reached:
        return None
    return Wish(verb, name, folder)
