"""Keeps the part of a result that `--facet`, `--where` and `--no-duplicates` ask for."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable

from cqlgui.base import progress
from cqlgui.cli import terminal
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import orbits


def wanted(
    arguments: argparse.Namespace,
    base: base_model.Base,
    text: str,
    cancel: progress.CancelToken,
) -> Callable[[search_model.SearchResult], search_model.SearchResult]:
    """What keeps the hits that `--facet` and `--where` ask for. Raises `TermError` for a value that does not
    exist, before the search."""
    steps: list[Callable[[search_model.SearchResult, progress.CancelToken], search_model.SearchResult]] = []
    if arguments.facets:
        from cqlgui.tasks.analysis import attributes, facet_terms, facets

        known = attributes.of_base(base)
        choice = facet_terms.parse(arguments.facets, known, orbits.orbits(text))
        steps.append(lambda result, token: facets.narrowed(facets.sheet(known, result, cancel=token), choice))
    if arguments.conditions:
        from cqlgui.tasks.pictures import terms

        steps += [functools.partial(terms.parse(one, base), base) for one in arguments.conditions]

    def narrow(result: search_model.SearchResult) -> search_model.SearchResult:
        # What was found before a search was stopped is narrowed to the end.
        token = progress.CancelToken() if result.cancelled else cancel
        for step in steps:
            result = step(result, token)
        return result

    return narrow


def without_duplicates(
    base: base_model.Base, result: search_model.SearchResult, cancel: progress.CancelToken
) -> search_model.SearchResult:
    """The result without the games that are duplicates of another game of the result. A message says what was
    left out."""
    from cqlgui.tasks.likeness import duplicates

    bar = terminal.Bar()
    try:
        left, words = duplicates.without(base, result, cancel=cancel, progress=bar)
    finally:
        bar.end()
    terminal.say(f"{words}.")
    return left
