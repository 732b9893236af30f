"""Compilers of facts about the game: its tags, and the position's place in the game."""

from __future__ import annotations

import re
from typing import Any

from cqlgui.cql.ast import nodes, nodes_facts
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_tree
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation
from cqlgui.cql.interpreting.runtime.host import Host
from cqlgui.cql.source import commands
from cqlgui.cql.source.names import TAGS, normal_date, player_name, year_of


@compiles(nodes.CurrentPosition)
def _current_position(compiler: Compiler, node: nodes.CurrentPosition) -> Code:
    return code(Type.POSITION, lambda s: s.id)


@compiles(nodes.Measure)
def _measure(compiler: Compiler, node: nodes.Measure) -> Code:
    runs: dict[str, Run] = {
        "ply": lambda s: s.tree.plies[s.id],
        "movenumber": Evaluation.movenumber,
        "positionid": lambda s: s.id,
        "gamenumber": lambda s: s.host.gamenumber,
        "depth": lambda s: s.tree.depths[s.id],
        "sidetomove": lambda s: -1 if s.position.turn else 1,
        "lastgamenumber": _last_game_number,
        "try": lambda s: 1 if closures_tree.tries(s) == 1 else None,
        "year": once_a_game("year", lambda s: year_of(s.host.tag("Date") or "")),
    }
    return code(Type.NUMERIC, runs[node.word])


def _last_game_number(s: Evaluation) -> int:
    """Number of games in the file, or the upper bound of the header's `gamenumber` if this bound is
    smaller."""
    count = s.host.game_count
    return count if s.last_game is None else min(count, s.last_game)


def once_a_game(key: object, run: Run) -> Run:
    """A closure that evaluates `run` at most once for a game. `key` identifies the result in the game's
    cache."""

    def remembered(s: Evaluation) -> Any:
        memo = s.memo
        if key not in memo:
            memo[key] = run(s)
        return memo[key]

    return remembered


@compiles(nodes.Elo)
def _elo(compiler: Compiler, node: nodes.Elo) -> Code:
    tags = ("WhiteElo", "BlackElo") if node.colour is None else (f"{node.colour.capitalize()}Elo",)

    def elo(s: Evaluation) -> int | None:
        return max((rating for tag in tags if (rating := _rating(s.host.tag(tag)))), default=None)

    return code(Type.NUMERIC, once_a_game(("elo", node.colour), elo))


def _rating(text: str | None) -> int:
    found = re.match(r"\s*(\d{1,5})", text or "")
    return int(found[1]) if found else 0


@compiles(nodes.Player)
def _player(compiler: Compiler, node: nodes.Player) -> Code:
    if node.colour is not None:
        tag = node.colour.capitalize()
        return code(Type.STRING, once_a_game(tag, lambda s: player_name(s.host.tag(tag))))

    def both(s: Evaluation) -> str | None:
        white, black = player_name(s.host.tag("White")), player_name(s.host.tag("Black"))
        return f"{white or ''}\n{black or ''}" if white or black else None

    return code(Type.STRING, once_a_game("players", both))


@compiles(nodes.Result)
def _result(compiler: Compiler, node: nodes.Result) -> Code:
    result = node.result
    return code(Type.LOGICAL, lambda s: s.host.result == result)


@compiles(nodes.TagText)
def _tag(compiler: Compiler, node: nodes.TagText) -> Code:
    tag = TAGS[node.word]
    if node.word in ("date", "eventdate"):
        return code(Type.STRING, once_a_game(("date", tag), lambda s: normal_date(s.host.tag(tag) or "")))
    return code(Type.STRING, once_a_game(("tag", tag), lambda s: tag_text(s.host, tag)))


@compiles(nodes_facts.Tag)
def _named_tag(compiler: Compiler, node: nodes_facts.Tag) -> Code:
    name = node.name
    return code(Type.STRING, lambda s: tag_text(s.host, name))


def tag_text(host: Host, name: str) -> str | None:
    """The text of a tag in queries (language spec, R2-7). An empty tag gives None. A missing tag gives the
    default text of the tag, or None if the tag has no default."""
    text = host.tag(name)
    match name:
        case "White" | "Black":
            return player_name(text)
        case "Event" | "Site" if text is None:
            return "?"
        case "Date":
            return None if text == "" else normal_date(text or "")
        case "ECO" if text == "?":
            # The reference program treats an ECO tag `?` like a missing ECO tag. The results of the reference
            # program on 2,450 games show this behaviour.
            return None
        case _:
            return text or None


@compiles(nodes_facts.OriginalComment)
def _original_comment(compiler: Compiler, node: nodes_facts.OriginalComment) -> Code:
    return code(Type.STRING, lambda s: s.host.comment(s.id) or None)


@compiles(nodes_facts.Glyph)
def _glyph(compiler: Compiler, node: nodes_facts.Glyph) -> Code:
    number = node.number
    # No move leads to the root. Therefore the root has no glyph, even if the PGN text contains a glyph before
    # the first move.
    return code(Type.LOGICAL, lambda s: s.id > 0 and number in s.host.nags(s.id))


@compiles(nodes_facts.CommandNumber)
def _command_number(compiler: Compiler, node: nodes_facts.CommandNumber) -> Code:
    key = node.key
    if node.colour == "black":
        return code(Type.NUMERIC, lambda s: _negative(commands.value(s.host.all_comments(s.id), key)))
    return code(Type.NUMERIC, lambda s: commands.value(s.host.all_comments(s.id), key))


def _negative(number: int | None) -> int | None:
    return None if number is None else -number


@compiles(nodes.ImplicitSearch)
def _implicit_search(compiler: Compiler, node: nodes.ImplicitSearch) -> Code:
    text, needle = compiler.compile(node.text), node.needle
    haystack = text.value

    def contained(s: Evaluation) -> bool:
        found = haystack(s)
        return found is not None and needle in found

    return code(Type.LOGICAL, contained, logs=text.logs)
