"""Lints: warnings about a query that is legal but probably wrong.

`findings` runs every rule. Rules about moves, loops, output, ranges, transforms and patterns of men are in
modules of their own. The rules here are about values used as conditions (D4), assignments used as conditions,
endless loops, dictionary keys and names of players.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from cqlgui.base.data import dataclass
from cqlgui.cql.ast import (
    nodes,
    nodes_facts,
    nodes_moves,
    nodes_paths,
    nodes_programs,
    nodes_squares,
    nodes_strings,
    nodes_studies,
    nodes_tree,
    repeatable,
    types,
)
from cqlgui.cql.ast.types import Names, Type
from cqlgui.cql.checking import (
    lints_loops,
    lints_moves,
    lints_output,
    lints_patterns,
    lints_ranges,
    lints_transforms,
)
from cqlgui.cql.source.diagnostics import Diagnostic, Fix, Span
from cqlgui.cql.source.names import player_name

MAX_WARNINGS = 100


def findings(text: str, query: nodes.Query, names: Names) -> tuple[Diagnostic, ...]:
    """At most `MAX_WARNINGS` warnings about `query`, in no particular order. The query must have no
    errors."""
    found = itertools.chain(
        _conditions(text, query, names),
        lints_transforms.findings(text, query.body),
        lints_patterns.findings(text, query.body),
        lints_moves.findings(text, query.body, names),
        lints_loops.findings(text, query.body),
        lints_output.findings(text, query),
        lints_ranges.findings(text, query),
        _players(text, query.body),
        _endless(query.body),
        _assigned_conditions(query.body, names),
        _loose_keys(text, query.body, names),
    )
    return tuple(itertools.islice(found, MAX_WARNINGS))


@dataclass(frozen=True, slots=True)
class _Use:
    """A filter that is used as a condition. `before` is the filter directly before this filter in a sequence.
    `value` is True for the last filter of the query. The value of the last filter is also the value of the
    whole query, so a number there may be intended."""

    node: nodes.Node
    before: nodes.Node | None = None
    value: bool = False


def _conditions(text: str, query: nodes.Query, names: Names) -> Iterator[Diagnostic]:
    """A warning for every value that is used as a condition."""
    for use in _uses(query.body):
        node = use.node
        source = text[node.span.offset : node.span.end]
        if source in _SIDES:
            yield Diagnostic(
                node.span,
                "number-as-condition",
                f"`{source}` is a number here and always matches.",
                f"{_SIDES[source]} asks for the side to move",
                "warning",
                Fix(f"Write {_SIDES[source]}", node.span, _SIDES[source]),
            )
        elif isinstance(node, nodes_strings.Case):
            yield Diagnostic(
                node.span,
                "never-matches",
                f"As a condition `{node.word}` never matches.",
                f"compare it with something, or bracket it: ({node.word} ...) ~~ ...",
                "warning",
            )
        elif _useless(node, names):
            yield Diagnostic(
                node.span, "useless-condition",
                "This matches whenever it has a value, so it is no real condition.",
                "compare it with something", "warning", _compared(text, use, names),
            )  # fmt: skip
        elif not use.value and _always(node):
            yield Diagnostic(
                node.span, "number-as-condition",
                "A number matches whatever it is, 0 too, so this is no condition.",
                "compare it with something", "warning", _compared(text, use, names),
            )  # fmt: skip


def _assigned_conditions(body: nodes.Node, names: Names) -> Iterator[Diagnostic]:
    """A warning for every condition such as `x=5`. This condition assigns a value, but a comparison was
    probably meant."""
    for node in nodes.walk(body):
        match node:
            case nodes_programs.If(condition=condition):
                conditions = [condition]
            case nodes_programs.While(condition=condition, iterates=False):
                conditions = [condition]
            case nodes.Logic(left=left, right=right):
                conditions = [left, right]
            case nodes.Not(operand=operand):
                conditions = [operand]
            case _:
                continue
        for one in conditions:
            if not isinstance(one, nodes.Assign) or one.operator != "=":
                continue
            if types.infer(one.value, names) in (Type.NUMERIC, Type.STRING):
                yield Diagnostic(
                    one.span, "assignment-as-condition",
                    f"This gives `{one.name}` a value and always matches.", "== compares", "warning",
                )  # fmt: skip


def _endless(body: nodes.Node) -> Iterator[Diagnostic]:
    """A warning for every loop that never ends once it has begun (D20)."""
    for node in nodes.walk(body):
        if isinstance(node, nodes_programs.Loop | nodes_programs.While) and repeatable.is_endless(node):
            word = "loop" if isinstance(node, nodes_programs.Loop) else "while"
            yield Diagnostic(
                Span(node.span.offset, len(word)), "endless-loop",
                "Nothing in this loop changes what it asks: where it holds, the loop never ends.",
                "change a variable in the loop that its condition reads", "warning",
            )  # fmt: skip


def _loose_keys(text: str, body: nodes.Node, names: Names) -> Iterator[Diagnostic]:
    """A warning for every `unbind D [e4]`. `unbind D` empties the whole dictionary, and `[e4]` is a filter of
    its own."""
    for node in nodes.walk(body):
        if not isinstance(node, nodes.Compound):
            continue
        for before, after in itertools.pairwise(node.filters):
            if not isinstance(before, nodes_programs.Unbind) or before.name not in names.dictionaries:
                continue
            gap = text[before.span.end : after.span.offset]
            source = text[after.span.offset : after.span.end]
            bracketed = isinstance(after, nodes.Designator) and source.startswith("[")
            if before.key is None and bracketed and not gap.strip(" "):
                yield Diagnostic(
                    before.span, "loose-key",
                    f"This takes every entry away; `{source}` behind it is a filter of its own and no key.",
                    f"one entry: unbind {before.name}[({source[1:-1]})]", "warning",
                )  # fmt: skip


_SIDES = {"white": "wtm", "black": "btm"}


def _uses(root: nodes.Node) -> Iterator[_Use]:
    """Every filter that is used as a condition: conjuncts, operands of `not`, `and` and `or`, bodies of
    loops."""
    pending = [(_Use(root, value=True), True)]
    while pending:
        use, condition = pending.pop()
        node = use.node
        if isinstance(node, nodes.Compound):
            last = len(node.filters) - 1
            pending.extend(
                (
                    _Use(one, node.filters[i - 1] if i else None, use.value and i == last),
                    condition if i == last else True,
                )
                for i, one in enumerate(node.filters)
            )
        elif isinstance(node, nodes.Not):
            pending.append((_Use(node.operand), True))
        elif isinstance(node, nodes.Logic):
            pending += [(_Use(node.left), True), (_Use(node.right), True)]
        elif isinstance(node, nodes.Find):
            pending.append((_Use(node.operand), True))
        elif isinstance(node, nodes.SquareLoop | nodes.PieceLoop):
            pending += [(_Use(node.domain), False), (_Use(node.body), True)]
        elif isinstance(node, nodes.Transform):
            counted = node.range is not None
            pending.append((_Use(node.operand, value=use.value and not counted), condition or counted))
        elif isinstance(node, nodes.NoTransform):
            pending.append((_Use(node.operand, value=use.value), condition))
        elif isinstance(node, nodes_tree.At):
            pending += [(_Use(node.position), False), (_Use(node.filter, value=use.value), condition)]
        elif isinstance(node, nodes_programs.If):
            pending.append((_Use(node.condition), True))
            branches = [node.then] if node.otherwise is None else [node.then, node.otherwise]
            pending.extend((_Use(branch, value=use.value), condition) for branch in branches)
        elif isinstance(node, nodes_programs.Loop):
            pending.append((_Use(node.operand), True))
        elif isinstance(node, nodes_programs.While):
            pending += [(_Use(node.condition), not node.iterates), (_Use(node.body), False)]
        elif isinstance(node, nodes_programs.Assert):
            # `assert x` tests whether the variable x has a value, so a variable is a real condition after
            # `assert`.
            pending.append((_Use(node.operand), not isinstance(node.operand, nodes.Name)))
        elif isinstance(node, nodes_paths.Path):
            heads = (node.focus, node.max)
            pending.extend((_Use(one), False) for one in heads if one is not None)
            pending.extend((_Use(one), True) for one in node.constituents)
        elif isinstance(node, nodes_paths.Line | nodes_paths.Chain | nodes_paths.LineChain):
            pending.extend((_Use(one), True) for one in node.constituents)
        elif isinstance(node, nodes_paths.Step):
            pending.append((_Use(node.dash), False))
            pending.extend((_Use(one), True) for one in node.targets)
        elif isinstance(node, nodes_paths.Repeat):
            pending.append((_Use(node.operand), True))
        elif isinstance(node, nodes_programs.Call):
            pending.extend((_Use(argument), False) for argument in node.arguments)
            pending.append((_Use(node.body, value=use.value), condition))
        else:
            if condition:
                yield use
            pending.extend((_Use(child), False) for child in nodes.children(node))


_VALUES = (
    nodes.Number,
    nodes.String,
    nodes.Numeric,
    nodes.Extremum,
    nodes.CurrentTransform,
    nodes_programs.EntryCount,
    nodes_squares.ColourNumber,
    nodes_squares.Fen,
    nodes_strings.ReadFile,
    nodes_strings.Str,
    nodes_tree.CommonAncestor,
    nodes_tree.Distance,
)


def _useless(node: nodes.Node, names: Names) -> bool:
    if isinstance(node, _VALUES):
        return True
    if isinstance(node, nodes_studies.Study):
        return node.key == "composer"
    if isinstance(node, nodes_squares.SquareFact):
        return node.word in ("type", "typename", "piecename")
    if isinstance(node, nodes.Name):
        return types.infer(node, names) in (Type.NUMERIC, Type.STRING, Type.POSITION)
    if isinstance(node, nodes.Measure):
        return node.word in ("positionid", "sidetomove", "lastgamenumber")
    if isinstance(node, nodes.Count):
        return types.infer(node.operand, names) is Type.STRING
    if isinstance(node, nodes.Arithmetic):
        return types.infer(node, names) is Type.STRING
    if isinstance(node, nodes.SetOperation):
        return types.infer(node.left, names) is Type.POSITION
    return False


def _always(node: nodes.Node) -> bool:
    """Whether a filter is a number that has a value in every position."""
    return isinstance(node, nodes.Count | nodes.Power | nodes_moves.CountMoves) or (
        isinstance(node, nodes.Measure) and node.word in ("ply", "movenumber", "gamenumber")
    )


def _compared(text: str, use: _Use, names: Names) -> Fix | None:
    """A fix that adds a comparison. A number literal is compared with the filter before the literal. Any
    other numeric value is compared with 0. None if no comparison makes sense."""
    node, before = use.node, use.before
    source = text[node.span.offset : node.span.end]
    if isinstance(node, nodes.Number):
        if before is None or types.infer(before, names) not in (Type.SET, Type.NUMERIC):
            return None
        gap = text[before.span.end : node.span.offset]
        if gap.strip() or isinstance(before, nodes.Compare | nodes.Number):
            return None
        what = text[before.span.offset : before.span.end]
        joined = f"{what} == {source}"
        return Fix(f"Compare: {_short(joined)}", before.span.to(node.span), joined)
    if types.infer(node, names) is not Type.NUMERIC:
        return None
    simple = isinstance(node, nodes.Measure | nodes.Name | nodes.Count | nodes.Power)
    if isinstance(node, nodes.Count) and any(sign.isspace() for sign in source):
        # Without brackets around the `#` filter, the added comparison could become part of the operand of
        # `#`.
        simple = False
    joined = f"{source} > 0" if simple else f"({source}) > 0"
    return Fix(f"Compare: {_short(joined)}", node.span, joined)


def _players(text: str, body: nodes.Node) -> Iterator[Diagnostic]:
    """A warning for every player's name that is spelled as in the game file. This spelling never matches,
    because `player` gives names in normalised form."""
    for node in nodes.walk(body):
        if isinstance(node, nodes.ImplicitSearch) and _names_players(node.text):
            written, span, whole = node.needle, node.span, False
        elif isinstance(node, nodes.Compare) and _names_players(node.left):
            if not isinstance(node.right, nodes.String):
                continue
            written, span, whole = node.right.value, node.right.span, True
        else:
            continue
        tidy = player_name(written) or written
        # An implicit search also finds a part of a name. If the searched text ends with a full stop, the name
        # may continue after the full stop. A full stop at the end therefore causes no warning in a search.
        if tidy == written or not (whole or tidy.count(" ") > written.count(" ")):
            continue
        at = text.find(f'"{written}"', span.offset, span.end)
        if at < 0:
            continue
        quoted = Span(at, len(written) + 2)
        yield Diagnostic(
            quoted,
            "untidy-name",
            "Queries get names tidied, so this one, as the file spells it, is never found.",
            f'write "{tidy}"',
            "warning",
            Fix(f'Write "{tidy}"', quoted, f'"{tidy}"'),
        )


def _names_players(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Player) or (
        isinstance(node, nodes_facts.Tag) and node.name in ("White", "Black")
    )


def _short(source: str) -> str:
    words = " ".join(source.split())
    return words if len(words) <= 40 else words[:37] + "..."
