"""`cqlgui explain`: the truth of each sub-filter at a position.

Without a position, the command prints how the query will be run. With a base, the command also prints how
many games remain after each step of the search.
"""

from __future__ import annotations

import argparse
from typing import Any

from cqlgui.board import squares
from cqlgui.cli import opening, terminal
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import truth_model
from cqlgui.tasks.search import explaining, margin


def run(arguments: argparse.Namespace) -> int:
    """Explain a query at the position `--fen`, or at position `--position` of game `--game` in a file.
    Without a position, print the stages of the query's execution."""
    if arguments.fen is not None and arguments.files:
        terminal.say("cqlgui explain: name either a file with --game and --position, or --fen.")
        return terminal.USAGE
    if (arguments.game is None) != (arguments.position is None):
        terminal.say("cqlgui explain: --game N and --position P go together.")
        return terminal.USAGE
    if not arguments.files and (arguments.game is not None or arguments.position is not None):
        terminal.say("cqlgui explain: --game and --position need a file.")
        return terminal.USAGE
    text, name = terminal.query_text(arguments.expression, arguments.query_file)
    if arguments.why_not and arguments.game is None and arguments.fen is None:
        terminal.say("cqlgui explain: --why-not needs a position.")
        return terminal.USAGE
    try:
        if arguments.fen is not None and arguments.why_not:
            return _why_not(explaining.why_not_fen(arguments.fen, text), 0, arguments.json)
        if arguments.fen is not None:
            truth = explaining.explain_fen(arguments.fen, text)
        elif arguments.files:
            queries.expanded(text)
            with terminal.interruptible() as cancel:
                opened = opening.open_base(arguments.files, cancel)
                base = opened.base
                if arguments.game is None:
                    stages = explaining.stages(text, base, arguments.variations, cancel=cancel)
                    return _stages(stages, arguments.json) or opening.outcome(opened)
            asked = (base, arguments.game, arguments.position, text, arguments.variations)
            if arguments.why_not:
                return _why_not(explaining.why_not(*asked), arguments.position, arguments.json)
            truth = explaining.explain(*asked)
        else:
            return _stages(explaining.stages(text, variations=arguments.variations), arguments.json)
    except queries.Rejected as rejected:
        return terminal.reject(rejected, name, as_json=arguments.json)
    if arguments.json:
        terminal.put(_object(truth))
    else:
        _show(truth, 0, truth.positionid)
    return terminal.OK


def _why_not(found: truth_model.WhyNot, asked: int, as_json: bool) -> int:
    part = found.part
    if as_json:
        terminal.put(
            {
                "matched": part is None,
                "fails": None if part is None else _object(part),
                "transform": found.transform,
                "words": found.words,
                "nearest": found.nearest,
                "whole": found.whole,
                "fault": found.fault,
            }
        )
    elif part is None:
        print("The query matches here.")
    else:
        how = f"  {found.transform} {found.words}" if found.transform else ""
        print(f"fails    {' '.join(part.text.split())}{_elsewhere(part, asked)}{how}")
        for name, place in (("holds at", found.nearest), ("query at", found.whole)):
            print(f"{name} {'no position of this game' if place is None else f'position {place}'}")
        if found.fault:
            terminal.say(f"Some positions could not be looked at: {found.fault}")
    return terminal.OK


def _stages(stages: truth_model.Stages, as_json: bool) -> int:
    if as_json:
        terminal.put(
            {
                "checked": stages.checked,
                "expanded": stages.expanded,
                "engine": stages.engine,
                "reason": stages.reason,
                "plan": [
                    {"means": step.means, "text": step.text, "games": step.games} for step in stages.plan
                ],
            }
        )
        return terminal.OK
    print(f"query     {stages.checked.strip()}")
    print(f"expanded  {stages.expanded.strip()}")
    print(f"engine    {stages.engine}{f': {stages.reason}' if stages.reason else ''}")
    for step in stages.plan:
        left = "" if step.games is None else f"  ({step.games} game{'' if step.games == 1 else 's'})"
        print(f"  {_STEPS[step.means]:20} {step.text}{left}")
    return terminal.OK


_STEPS = {
    "header": "header's conditions",
    "catalog": "asked of the catalog",
    "signature": "asked of signatures",
    "together": "asked as a whole",
    "compiled": "machine code",
    "interpreted": "interpreter",
}


def _elsewhere(truth: truth_model.Truth, positionid: int) -> str:
    """The place where a filter was evaluated. Empty if the filter was evaluated at position `positionid`."""
    return "" if truth.positionid == positionid else f"  at {truth.place}"


def _show(truth: truth_model.Truth, depth: int, around: int) -> None:
    """Print a filter and its parts, indented by `depth`; `around` is the position where the enclosing filter
    was evaluated."""
    mark = {True: "+", False: "-", None: "?"}[truth.matched]
    value = "" if truth.value is None else f" = {truth.value}"
    names = [squares.square_name(square) for square in squares.bits(truth.squares)]
    where = f"  [{','.join(names)}]" if names and len(names) <= 16 and truth.value is None else ""
    how = f"  {truth.transform} {truth.words}" if truth.transform else ""
    bound = "" if truth.binding is None else f"  {margin.bound(truth)}"
    way = f"  {margin.moves(truth)}" if truth.way else ""
    rounds = "" if truth.rounds is None else f"  {truth.rounds} round{'' if truth.rounds == 1 else 's'}"
    place = _elsewhere(truth, around)
    text = " ".join(truth.text.split())
    print(f"{'  ' * depth}{mark} {text}{value}{place}{rounds}{way}{where}{bound}{how}")
    for part in truth.parts:
        _show(part, depth + 1, truth.positionid)


def _object(truth: truth_model.Truth) -> dict[str, Any]:
    return {
        "span": {"offset": truth.offset, "length": truth.length},
        "text": truth.text,
        "matched": truth.matched,
        "value": truth.value,
        "squares": [squares.square_name(square) for square in squares.bits(truth.squares)],
        "position": truth.positionid,
        "transform": truth.transform,
        "words": truth.words,
        "binding": truth.binding and {"name": truth.binding[0], "square": truth.binding[1]},
        "way": truth.way,
        "rounds": truth.rounds,
        "parts": [_object(part) for part in truth.parts],
    }
