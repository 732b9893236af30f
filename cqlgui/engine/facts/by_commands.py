"""Answers to questions about the numbers that commands in comments give, calculated for whole columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from cqlgui.base import priority
from cqlgui.cql.ast import nodes, nodes_facts
from cqlgui.cql.source import commands as commands_of_text
from cqlgui.engine.facts import answering, questions
from cqlgui.engine.facts.answering import GIVEN, MISSING, UNKNOWN, Answers
from cqlgui.store import commands


def spread(fact: questions.Fact, found: commands.Commands) -> answering.Spread:
    """The answers to a question about the numbers of commands, for all positions at once."""
    values, states = _calculated(fact.node, fact.number, found.columns, len(found.ids))
    # No column has a number at the positions without an entry.
    usual, state = _calculated(fact.node, fact.number, [None] * len(found.columns), 1)
    which = np.flatnonzero((values != usual) | (states != state))
    return answering.Spread(
        np.searchsorted(which, found.firsts),
        found.ids[which].astype(np.int64),
        values[which],
        states[which],
        (int(usual[0]), int(state[0])),
    )


def _calculated(
    node: nodes.Node, number: bool, columns: Sequence[commands.Numbers | None], count: int
) -> Answers:
    """The number or the truth of a filter for `count` entries with the numbers in `columns`."""
    priority.pause()

    def part(one: nodes.Node, wants_number: bool) -> Answers:
        return _calculated(one, wants_number, columns, count)

    if not number and not isinstance(node, _CONDITIONS):
        # A number holds wherever it exists.
        _, states = part(node, True)
        known = np.where(states == UNKNOWN, UNKNOWN, GIVEN).astype(np.uint64)
        return (states == GIVEN).astype(np.uint64), known
    match node:
        case nodes_facts.CommandNumber():
            column = columns[commands_of_text.KEYS.index(node.key)]
            if column is None:
                return answering.everywhere((0, MISSING), count)
            missing = column == commands.NO_NUMBER
            numbers = column.astype(np.int64)
            numbers[missing] = 0
            states = np.where(missing, MISSING, GIVEN).astype(np.uint64)
            return (-numbers if node.colour == "black" else numbers).view(np.uint64), states
        case nodes.Number():
            return answering.everywhere(answering.of_number(node.value), count)
        case nodes.Truth():
            return answering.everywhere((int(node.value), GIVEN), count)
        case nodes.Not():
            return answering.opposite(part(node.operand, False))
        case nodes.Logic():
            parts = [part(one, False) for one in (node.left, node.right)]
            return answering.joined(node.word, *parts)
        case nodes.Compound():
            *tests, last = node.filters
            whole = part(last, number)
            for one in tests:
                whole = (
                    answering.if_holds(part(one, False), whole)
                    if number
                    else answering.both(part(one, False), whole)
                )
            return whole
        case nodes.Compare():
            return answering.compared(
                node.operator, part(node.left, True), part(node.right, True), number=number
            )
        case nodes.Arithmetic():
            return answering.computed(node.operator, part(node.left, True), part(node.right, True))
        case nodes.Negate():
            return answering.computed("-", answering.everywhere((0, GIVEN), count), part(node.operand, True))
        case _:
            raise AssertionError(f"{type(node).__name__} is not calculated")


_CONDITIONS: Final = (nodes.Truth, nodes.Not, nodes.Logic, nodes.Compound, nodes.Compare)
"""Filters of `questions.is_calculated` whose truth is not just whether they have a number."""
