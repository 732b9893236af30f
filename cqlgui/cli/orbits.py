"""`cqlgui orbit`: the elements of each transform's orbit, printed as CQL."""

from __future__ import annotations

import argparse
from typing import Any

from cqlgui.cli import terminal
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import hit_model
from cqlgui.tasks.search import orbits


def run(arguments: argparse.Namespace) -> int:
    """Print the orbits of a query's outermost transforms."""
    text, name = terminal.query_text(arguments.expression, arguments.query_file)
    try:
        found = orbits.orbits(text)
    except queries.Rejected as rejected:
        return terminal.reject(rejected, name, as_json=arguments.json)
    if arguments.json:
        terminal.put([_object(orbit) for orbit in found])
        return terminal.OK
    for orbit in found:
        candidates = len(orbit.elements) + len(orbit.invalid) + len(orbit.duplicates)
        print(f"{orbit.transform}: {candidates} candidates, {len(orbit.elements)} distinct")
        for element in orbit.elements:
            print(f"  {element.text}    {element.transform} {element.words}")
        for kind, dropped in (("invalid", orbit.invalid), ("duplicate", orbit.duplicates)):
            for one in dropped:
                print(f"  {kind}: {one.transform} {one.words}: {one.reason}")
    if not found:
        terminal.say("The query has no transform.")
    return terminal.OK


def _object(orbit: hit_model.Orbit) -> dict[str, Any]:
    return {
        "transform": orbit.transform,
        "span": {"offset": orbit.offset, "length": orbit.length},
        "elements": [
            {"text": element.text, "transform": element.transform, "words": element.words}
            for element in orbit.elements
        ],
        "invalid": [_dropped(one) for one in orbit.invalid],
        "duplicates": [_dropped(one) for one in orbit.duplicates],
    }


def _dropped(one: hit_model.Dropped) -> dict[str, str]:
    return {"transform": one.transform, "words": one.words, "reason": one.reason}
