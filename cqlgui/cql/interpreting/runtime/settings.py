"""Options that are not part of a query's text. The options override the query's header or change what the
query writes (output spec 7)."""

from __future__ import annotations

from typing import Any

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes

Bounds = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a search. An option that is False or None does not override the header.

    If `header_comment` is True, a comment that begins with `Game number` is written. Without
    `smart_comments`, the comments of a failing filter are kept. Without `sort_comments`, a `sort` keeps the
    comments of every value. With `sort_comments`, a `sort` keeps only the comments of the best value.
    """

    variations: bool = False
    mainline: bool = False
    gamenumber: Bounds | None = None
    matchcount: Bounds | None = None
    matchstring: str | None = None
    quiet: bool = False
    silent: bool = False
    header_comment: bool = True
    smart_comments: bool = True
    sort_comments: bool = True
    unique_comments: bool = True
    remove_comments: bool = True
    set_tags: bool = True

    def as_words(self) -> dict[str, Any]:
        """The settings as plain data that `from_words` can read."""
        return data.named(self)


def from_words(words: dict[str, Any]) -> Settings:
    """Settings from the result of `as_words`. The result may have been converted to JSON and back."""
    read: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in words.items()
    }
    return Settings(**read)


USUAL = Settings()
MATCH_STRING = "CQL"


def match_string(header: nodes.Header) -> str:
    """The text that a query with this header writes at every match; empty if the query writes nothing."""
    if header.quiet or header.silent:
        return ""
    return MATCH_STRING if header.matchstring is None else header.matchstring


def override(query: nodes.Query, settings: Settings) -> nodes.Query:
    """The query with its header overridden by the settings."""
    header = query.header
    changes: dict[str, object] = {}
    if settings.variations or settings.mainline:
        # `mainline` takes precedence over `variations`.
        changes["variations"] = settings.variations and not settings.mainline
    if settings.gamenumber is not None:
        changes["gamenumber"] = nodes.Range(header.span, *settings.gamenumber)
    if settings.matchcount is not None:
        changes["matchcount"] = nodes.Range(header.span, *settings.matchcount)
    if settings.matchstring is not None:
        changes["matchstring"] = settings.matchstring
    if settings.quiet or settings.silent:
        # If a header contains both `quiet` and `silent`, only the first of the two has an effect (spec 3).
        # The settings act like words at the beginning of the header.
        changes |= {"quiet": settings.quiet, "silent": settings.silent and not settings.quiet}
    if not changes:
        return query
    return nodes.Query(query.span, data.replace(header, **changes), query.body)  # type: ignore[arg-type]  # fields and values go together above
