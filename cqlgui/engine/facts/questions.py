"""Which filters of a query are questions about the text of a game, and what of the text these filters read.
Answers are not known here."""

from __future__ import annotations

from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes, nodes_facts, nodes_programs, nodes_strings, nodes_studies, nodes_tree
from cqlgui.cql.interpreting.families import closures_studies
from cqlgui.cql.source import names
from cqlgui.cql.vocabulary import study_meanings


@dataclass(frozen=True, slots=True)
class Fact:
    """A filter that has one answer for a whole game. If `remark` is True, the filter has one answer for each
    position, and the answer depends only on the comment and the glyphs at the position, or only on the
    numbers of commands in the comments at the position. The answer is a number if `number` is True, the
    number of a text in `asking.Asker.texts` if `text` is True, and otherwise a truth value."""

    node: nodes.Node
    number: bool
    text: bool = False
    remark: bool = False


_ASKED: Final = (
    nodes.Result, nodes.Elo, nodes.Player, nodes.TagText, nodes_facts.Tag, nodes.String,
    nodes_studies.StudyAward,
)  # fmt: skip
JOINING: Final = (
    nodes.Number, nodes.Truth, nodes.Not, nodes.Logic, nodes.Compound, nodes.Compare, nodes.Arithmetic,
    nodes.Negate, nodes.Numeric, nodes.Extremum, nodes.In, nodes.Count, nodes.ImplicitSearch,
    nodes_strings.Index, nodes_strings.Slice, nodes_strings.Case, nodes_strings.IndexOf, nodes_strings.Int,
    nodes_strings.Ascii, nodes_strings.Str, nodes_tree.Equal,
)  # fmt: skip
"""Filters that combine the values of other filters."""


def is_fact(node: nodes.Node, *, searches: bool) -> bool:
    """Whether a filter depends only on the game as a whole. With `searches`, the filter may contain searches
    with regular expressions. The caller passes the result of `leaves_no_trace` for `searches`."""
    return _is_constant(node, searches) and any(is_asked(one) for one in nodes.walk(node))


def is_asked(node: nodes.Node) -> bool:
    """Whether a filter reads the data of the game as a whole."""
    match node:
        case nodes.Measure():
            return node.word in ("year", "lastgamenumber")
        case nodes_studies.Study():
            return node.key in closures_studies.TOLD_BY_GAME
        case _:
            return isinstance(node, _ASKED)


def _is_constant(node: nodes.Node, searches: bool) -> bool:
    match node:
        case nodes.Measure(word="gamenumber"):
            return True
        case nodes_strings.Search():
            return searches and _is_constant(node.text, searches)
        case _ if isinstance(node, JOINING):
            return all(_is_constant(one, searches) for one in nodes.children(node))
        case _:
            return is_asked(node)


def is_remark(node: nodes.Node, *, searches: bool) -> bool:
    """Whether a filter depends only on the comment and the glyphs at the position, or only on the numbers of
    commands at the position. `searches` has the meaning of `is_fact`."""
    return is_calculated(node) or _reads_remarks(node, searches)


def is_calculated(node: nodes.Node) -> bool:
    """Whether a filter depends only on the numbers of commands, and is calculated from whole columns."""
    found = False
    for one in nodes.walk(node):
        if not isinstance(one, _CALCULATED):
            return False
        found = found or isinstance(one, nodes_facts.CommandNumber)
    return found


_CALCULATED: Final = (
    nodes_facts.CommandNumber, nodes.Number, nodes.Truth, nodes.Not, nodes.Logic, nodes.Compound,
    nodes.Compare, nodes.Arithmetic, nodes.Negate,
)  # fmt: skip


def _reads_remarks(node: nodes.Node, searches: bool) -> bool:
    found = False
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if is_said(one):
            found = True
        elif isinstance(one, nodes_strings.Search):
            if not searches:
                return False
            waiting.append(one.text)
        elif isinstance(one, JOINING):
            waiting.extend(nodes.children(one))
        elif not isinstance(one, nodes.String):
            return False
    return found


def is_said(node: nodes.Node) -> bool:
    """Whether a filter reads the comment or the glyphs at the position."""
    if isinstance(node, nodes_studies.Study):
        return node.key in study_meanings.COMMENT_TAGS
    return isinstance(node, nodes_facts.OriginalComment | nodes_facts.Glyph)


def leaves_no_trace(body: nodes.Node) -> bool:
    """True if no filter of a query reads the groups of a regular expression that matched."""
    return not any(isinstance(one, nodes_strings.Group | nodes_programs.While) for one in nodes.walk(body))


def reads_tags_alone(node: nodes.Node) -> bool:
    """Whether a filter reads nothing of a game but tags."""
    return bool(_tags_read(node))


def part_of_names(fact: Fact) -> str | None:
    """A text that is part of the tag in each game where a question about one player holds. None if there is
    no such text."""
    match fact.node:
        case nodes.ImplicitSearch(text=nodes.Player(colour=str())) if not fact.number:
            return names.part_of_tags(fact.node.needle)
        case _:
            return None


def only_tag(node: nodes.Node) -> str | None:
    """The tag that a filter reads, if it reads nothing else of a game."""
    found = _tags_read(node)
    return next(iter(found)) if len(found) == 1 else None


def _tags_read(node: nodes.Node) -> set[str]:
    """The tags that a filter reads. Empty if it reads other things too."""
    found: set[str] = set()
    for one in nodes.walk(node):
        match one:
            case nodes.Player(colour=str() as colour) | nodes.Elo(colour=str() as colour):
                found.add(colour.capitalize() + ("Elo" if isinstance(one, nodes.Elo) else ""))
            case nodes.Player():
                found |= {"White", "Black"}
            case nodes.Elo():
                found |= {"WhiteElo", "BlackElo"}
            case nodes.TagText(word=word):
                found.add(names.TAGS[word])
            case nodes_facts.Tag(name=name):
                found.add(name)
            case nodes.Measure(word="year"):
                found.add("Date")
            case nodes.String() | nodes_strings.Search():
                pass
            case _ if not isinstance(one, JOINING):
                return set()
    return found
