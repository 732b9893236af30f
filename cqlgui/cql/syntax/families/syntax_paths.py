"""Reading sequences (language spec, 10 and 11): `path` with its constituents, the older `line`, facts about
paths.

At the top level of a path (outside braces) `+` and `*` are wildcards and every dash begins a constituent.
When a path begins, these signs of the path get a special `Token.word`, so that no other grammar rule consumes
the signs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths
from cqlgui.cql.ast.types import Type
from cqlgui.cql.forms import forms_paths
from cqlgui.cql.source.tokens import END, PATH_WORDS, REPETITION, STRING_LITERAL, Kind, Token
from cqlgui.cql.syntax.families import assignments, syntax_moves
from cqlgui.cql.syntax.reading import operators, ranges
from cqlgui.cql.syntax.reading.cursor import CLOSER_OF, CLOSERS, MAX_DEPTH, NUMERIC, SET, Broken, Cursor
from cqlgui.cql.syntax.reading.readers import READERS

__all__ = ["forms_paths"]

_DASHES: Final = {**syntax_moves.PATH_DASHES, "--": "--", "[x]": "[x]"}
_ANY: Final = (0, None)
_SOME: Final = (1, None)
_WILDCARDS: Final[dict[str, tuple[int, int | None]]] = {
    "path *": _ANY, "*": _ANY, "{*}": _ANY, "path +": _SOME, "+": _SOME, "{+}": _SOME, "?": (0, 1),
}  # fmt: skip
_PATH_WILDCARDS: Final = frozenset({"path *", "path +", "{*}", "{+}", "?", REPETITION})
_BRACES_ONLY: Final = frozenset({"legal", "pseudolegal", "countmoves"})


# --- path ---------------------------------------------------------------------------------------------------


class _Path:
    """The parameters that have been read so far for a path."""

    def __init__(self) -> None:
        self.range: nodes.Range | None = None
        self.focus: nodes.Node | None = None
        self.max: nodes.Node | None = None
        self.capture = False
        self.title: str | None = None
        self.flags: dict[str, Token] = {}
        self.focus_end = -1


_PATH_FLAGS: Final = frozenset(
    {"singlecolor", "primary", "firstmatch", "lastposition", "nestban", "keepallbest", "quiet", "verbose",
     "piecepath"}
)  # fmt: skip


def _path(cursor: Cursor, token: Token) -> nodes.Node:
    """A path, up to a blank line or the end of the surrounding bracket; the keyword was just consumed."""
    found: list[nodes.Node] = []
    stop = _mark(cursor)

    def read() -> None:
        found.append(_path_within(cursor, token))

    # Each path counts as one more level of nesting. Paths within paths need more of Python's stack than other
    # filters, and must not exhaust this stack.
    cursor.depth += 1
    if stop is None:
        read()
    else:
        cursor.limited(stop, read)
    cursor.depth -= 1
    return found[0]


def _mark(cursor: Cursor) -> int | None:
    """Give a special `Token.word` to the signs of the path that begins here. Return the index of the token
    after the blank line that ends the path. Return None if the end of a bracket or of the text ends the
    path."""
    tokens, depth, braces = cursor.tokens, 0, 0
    for place in range(cursor.position, len(tokens)):
        if cursor.peek(place - cursor.position).word == END:
            break
        token = tokens[place]
        if not depth and token.offset in cursor.after_blank:
            return place
        if token.kind is Kind.BRACKET and token.word in CLOSER_OF:
            depth += 1
            braces += token.word != "("
        elif token.kind is Kind.BRACKET and token.word in CLOSERS:
            if not depth:
                break
            depth -= 1
            braces -= token.word != ")"
        elif not braces and token.kind is Kind.OPERATOR and token.word in PATH_WORDS:
            tokens[place] = token._replace(word=PATH_WORDS[token.word])
    return None


def _path_within(cursor: Cursor, token: Token) -> nodes.Node:
    errors = cursor.errors
    made = _parameters(cursor)
    constituents = _constituents(cursor, made.focus_end)
    if not constituents and cursor.errors == errors:
        hint = "path -- check -- mate is two moves, each with a condition"
        return cursor.expected("a move or a filter for the path", hint)
    flags = made.flags
    node = nodes_paths.Path(
        cursor.since(token.offset), made.range, made.focus, made.capture, "singlecolor" in flags,
        "primary" in flags, made.max, "firstmatch" in flags, "lastposition" in flags, "nestban" in flags,
        "keepallbest" in flags, "quiet" in flags, "verbose" in flags, made.title, "piecepath" in flags,
        tuple(constituents),
    )  # fmt: skip
    if cursor.errors > errors:
        return Broken(node.span)
    heads = [part for part in (made.focus, made.max) if part is not None]
    return cursor.made(node, *heads, *constituents)


def _parameters(cursor: Cursor) -> _Path:
    made = _Path()
    focus: Token | None = None
    while True:
        token = cursor.peek()
        word = token.word
        if word in _PATH_FLAGS:
            cursor.take()
            _flag(cursor, made.flags, token, "path")
        elif word == "focus":
            cursor.take()
            if focus is not None:
                _duplicate(cursor, token, "path")
            focus = token
            made.capture = cursor.accept("capture") is not None
            made.focus = cursor.operand(7, SET, "`focus`")
            made.focus_end = cursor.position
        elif word == "max":
            cursor.take()
            if made.max is not None:
                _duplicate(cursor, token, "path")
            made.max = cursor.operand(14, NUMERIC, "`path max`")
        elif word == "title":
            cursor.take()
            if made.title is not None:
                _duplicate(cursor, token, "path")
            if cursor.peek().word != STRING_LITERAL:
                cursor.expected("a text in quotes after `title`")
                cursor.take()
            else:
                made.title = cursor.take().string
        elif word == "secondary":
            cursor.take()
            message = "A path may be kept to main continuations by `primary`; `secondary` belongs to `line`."
            hint = "as a condition on the move: path -- secondary"
            cursor.report_always(token.span, "misplaced-word", message, hint)
        elif made.range is None and (found := ranges.plain_range(cursor)) is not None:
            made.range = found
        else:
            break
    _consistent(cursor, made, focus)
    return made


def _flag(cursor: Cursor, flags: dict[str, Token], token: Token, owner: str) -> None:
    if token.word in flags:
        _duplicate(cursor, token, owner)
    flags[token.word] = token


def _duplicate(cursor: Cursor, token: Token, owner: str) -> None:
    message = f"`{token.text}` is given to this `{owner}` already."
    cursor.report_always(token.span, "duplicate-parameter", message)


def _consistent(cursor: Cursor, made: _Path, focus: Token | None) -> None:
    """Report parameters that exclude each other. The report points at the later parameter."""
    for word in ("singlecolor", "primary"):
        other = made.flags.get(word)
        if focus is None or other is None:
            continue
        first, last = sorted((focus, other), key=lambda one: one.offset)
        message = f"`{last.text}` cannot stand beside `{first.text}` in one `path`."
        hint = "singlecolor means: focus if wtm A else a" if word == "singlecolor" else ""
        cursor.report_always(last.span, "conflicting-words", message, hint)
    piecepath = made.flags.get("piecepath")
    if piecepath is not None and focus is None and "singlecolor" not in made.flags:
        message = "`piecepath` writes down the way of the focused men, and this path has no `focus`."
        cursor.report_always(piecepath.span, "missing-focus", message, "path focus Q piecepath ...")


def _constituents(cursor: Cursor, focus_end: int = -1) -> list[nodes.Node]:
    """The constituents up to the end of the bracket, a blank line, or a token that begins no constituent."""
    found: list[nodes.Node] = []
    # Whether the next filters are targets of the last dash.
    open_step = False
    # The position after the last bracket. A dash at this position does not take its left set from the
    # bracket.
    bracket_end = -1
    while not cursor.at_end_of_group():
        token = cursor.peek()
        if token.word in _PATH_WILDCARDS:
            _wildcard(cursor, found)
            open_step = False
        elif token.word in _DASHES:
            loose = True
            owned = (open_step and cursor.position != bracket_end) or cursor.position == focus_end
            if owned and syntax_moves.left_tied(cursor, token):
                loose = False
                message = f"`{token.text}` is tied to the set before it, which belongs to something else."
                cursor.report_always(token.span, "tied-dash", message, "put a blank before it")
            step = _step(cursor, None, token.offset)
            found.append(step if loose else Broken(step.span))
            open_step = True
        elif token.word == "(":
            if open_step and not _has_moves(cursor):
                for target in _bracketed_targets(cursor):
                    found[-1] = _with_target(cursor, found[-1], target)
            else:
                found.append(_chain(cursor))
                open_step = False
            bracket_end = cursor.position
            if not _ends_constituent(cursor, token):
                found.append(Broken(token.span))
        elif not _begins(cursor, token):
            break
        else:
            before = cursor.position
            node = _filter(cursor)
            sign = cursor.peek()
            if sign.word in _DASHES and cursor.position > before and syntax_moves.left_tied(cursor, sign):
                found.append(_step(cursor, node, token.offset))
                open_step = True
            elif open_step:
                found[-1] = _with_target(cursor, found[-1], _condition(cursor, node, token))
            else:
                found.append(_condition(cursor, node, token))
            if cursor.position == before:
                break
    return found


def _step(cursor: Cursor, left: nodes.Node | None, start: int) -> nodes.Node:
    """The dash that is the next token, without its targets."""
    token = cursor.peek()
    cursor.tokens[cursor.position] = token._replace(word=_DASHES[token.word])
    dash = syntax_moves.dash(cursor, left, in_path=True, start=start)
    if not isinstance(dash, nodes_moves.Dash):
        return Broken(dash.span)
    return nodes_paths.Step(dash.span, dash, ())


def _with_target(cursor: Cursor, step: nodes.Node, target: nodes.Node) -> nodes.Node:
    if not isinstance(step, nodes_paths.Step) or isinstance(target, Broken):
        return Broken(step.span)
    span = cursor.since(step.span.offset)
    return nodes_paths.Step(span, step.dash, (*step.targets, target))


def _has_moves(cursor: Cursor) -> bool:
    """True if the round bracket that begins here has a dash or wildcard outside braces. After a dash, a
    bracket with moves is a `Chain` of constituents. A bracket without moves holds the target of the dash
    (D13)."""
    for token, _ in _inside(cursor):
        if token.word in _DASHES or token.word in _PATH_WILDCARDS:
            return True
        if token.word == "path":
            # A path begins here, within the bracket. Everything up to the closing bracket belongs to this
            # inner path.
            return False
    return False


def _inside(cursor: Cursor) -> Iterator[tuple[Token, int]]:
    """The tokens within the round bracket that begins here, each with the number of round brackets around it.
    Braces and their contents are left out."""
    depth = braces = 0
    for place in range(cursor.position, len(cursor.tokens)):
        token = cursor.tokens[place]
        opens = token.kind is Kind.BRACKET and token.word in CLOSER_OF
        closes = token.kind is Kind.BRACKET and token.word in CLOSERS
        depth += opens - closes
        braces += (opens and token.word != "(") - (closes and token.word != ")")
        if not depth:
            return
        if not braces:
            yield token, depth


def _bracketed_targets(cursor: Cursor) -> list[nodes.Node]:
    """The filters of the round bracket that begins here."""
    opener = cursor.take()
    first = cursor.peek()
    found = operators.juxtaposed(cursor) or [cursor.expected("a filter")]
    cursor.close(opener)
    return [_condition(cursor, one, first) for one in found] if len(found) == 1 else found


def _ends_constituent(cursor: Cursor, opener: Token) -> bool:
    """True if no operator follows the bracket that `opener` began. An operator is reported, because a bracket
    at the beginning of a constituent is the whole constituent (spec 20, R2-3)."""
    sign = cursor.peek()
    if sign.word not in operators.OPERATORS or operators.begins_filter(cursor, sign):
        return True
    message = f"In a path a bracket is a constituent of its own, so `{sign.text}` has nothing on its left."
    bracket = cursor.text[opener.offset : cursor.since(opener.offset).end]
    hint = "put all of it into braces"
    if len(bracket) <= 20:
        hint += f": {{{bracket} {sign.text} ...}}"
    cursor.report(sign.span, "bracket-in-path", message, hint)
    # The right operand is read too. Otherwise, the right operand would be reported as another mistake.
    cursor.take()
    if not cursor.at_end_of_group():
        cursor.expression(14)
    return False


def _chain(cursor: Cursor) -> nodes.Node:
    opener = cursor.take()
    if opener.offset in cursor.unclosed:
        cursor.hush()
    cursor.depth += 1
    if cursor.depth > MAX_DEPTH:
        cursor.too_deep(opener.span)
    found = _constituents(cursor)
    cursor.depth -= 1
    if not cursor.at_end_of_group():
        operators.unexpected(cursor, None, opener.offset)
        cursor.skip_group()
        found.append(Broken(opener.span))
    elif not found:
        found.append(cursor.expected("a move or a filter"))
    cursor.take()
    span = cursor.since(opener.offset)
    return cursor.made(nodes_paths.Chain(span, tuple(found)), *found)


def _begins(cursor: Cursor, token: Token) -> bool:
    """True if a filter of this path begins here. An unknown name begins a filter only if an assignment,
    `[element]` or `(` follows. Any other unknown name ends the path."""
    if token.kind is Kind.NAME and token.text not in cursor.names:
        following = cursor.peek(1).word
        return following in assignments.OPERATORS or following in ("[element]", "(")
    return operators.begins_filter(cursor, token)


def _filter(cursor: Cursor) -> nodes.Node:
    """The next filter, which may become a constituent, a target or a left set."""
    token = cursor.peek()
    if token.word not in _BRACES_ONLY:
        return cursor.expression(14)
    message = f"In a path every dash is a move of the path itself, so `{token.text}` has none here."
    cursor.report(token.span, "dash-in-path", message, f"put it into braces: {{{token.text} --}}")
    # The missing braces around the keyword and its dash have just been reported. The dash is now read as if
    # the braces were there, so that the same mistake is not reported again.
    for place in range(cursor.position + 1, len(cursor.tokens)):
        sign = cursor.tokens[place]
        if sign.word in CLOSERS or sign.word in CLOSER_OF:
            break
        if sign.word in _DASHES:
            cursor.tokens[place] = sign._replace(word=_DASHES[sign.word])
            break
    return Broken(cursor.expression(14).span)


def _condition(cursor: Cursor, node: nodes.Node, first: Token) -> nodes.Node:
    """A filter as a constituent or target. A number alone is reported as an error."""
    if first.word == "{" or not _is_number(cursor, node):
        return node
    message = "A number alone is no condition here."
    hint = "compare it with something; sums stand in braces: {ply + 1 > 3}"
    return cursor.report_always(cursor.since(first.offset), "number-in-sequence", message, hint)


def _is_number(cursor: Cursor, node: nodes.Node) -> bool:
    """True if the filter is a number, a numeric variable or an arithmetic operation."""
    if isinstance(node, nodes.Number | nodes.Arithmetic | nodes.Negate):
        return True
    return isinstance(node, nodes.Name) and cursor.type_of(node) is Type.NUMERIC


# --- wildcards ----------------------------------------------------------------------------------------------


def _wildcard(cursor: Cursor, found: list[nodes.Node]) -> None:
    """Read the next token, which is a wildcard, and apply the wildcard to the last constituent."""
    token = cursor.take()
    last = found[-1] if found else None
    if last is None:
        message = f"`{token.text}` repeats a move, and none stands before it."
        found.append(cursor.report_always(token.span, "misplaced-wildcard", message))
    elif isinstance(last, nodes_paths.Repeat):
        message = "Two wildcards stand in a row."
        hint = "one of * + ? {2,5} is enough; (--+)? needs a bracket"
        found[-1] = cursor.report_always(token.span, "misplaced-wildcard", message, hint)
    elif isinstance(last, nodes_paths.Step | nodes_paths.Chain):
        # If the wildcard has an upper bound, each round of the repetition may be empty (spec 20, R2-10).
        endless = _bounds(token)[1] is None
        found[-1] = _repeated(cursor, token, last, may_be_empty=not endless)
    elif not isinstance(last, Broken):
        message = f"`{token.text}` repeats moves, and the filter before it makes none."
        hint = "a wildcard stands behind a dash or a bracket with dashes; sums stand in braces"
        found[-1] = cursor.report_always(token.span, "misplaced-wildcard", message, hint)


def _repeated(cursor: Cursor, token: Token, operand: nodes.Node, *, may_be_empty: bool = False) -> nodes.Node:
    if not may_be_empty and _can_be_empty(operand):
        message = f"`{token.text}` would repeat something that can match nothing, without an end."
        return cursor.report_always(token.span, "empty-repetition", message)
    low, high = _bounds(token)
    return nodes_paths.Repeat(cursor.since(operand.span.offset), low, high, operand)


def _bounds(token: Token) -> tuple[int, int | None]:
    known = _WILDCARDS.get(token.word)
    if known is not None:
        return known
    low, comma, high = token.text[1:-1].partition(",")
    least = int(low or 0)
    if not comma:
        return least, least
    return least, int(high) if high else None


def _can_be_empty(node: nodes.Node) -> bool:
    """True when a constituent of a path can match without a move, or when a constituent of a line can match
    without a position."""
    match node:
        case nodes_paths.Repeat():
            return node.low == 0 or _can_be_empty(node.operand)
        case nodes_paths.Chain():
            return all(not isinstance(one, _MOVING) or _can_be_empty(one) for one in node.constituents)
        case nodes_paths.LineChain():
            return all(_can_be_empty(one) for one in node.constituents)
        case _:
            return False


_MOVING: Final = (nodes_paths.Step, nodes_paths.Chain, nodes_paths.Repeat, Broken)


# --- line ---------------------------------------------------------------------------------------------------

_ARROWS: Final = frozenset({"-->", "<--"})
_LINE_FLAGS: Final = frozenset(
    {"primary", "secondary", "singlecolor", "nestban", "firstmatch", "lastposition", "quiet"}
)
_LINE_WILDCARDS: Final = _PATH_WILDCARDS


def _line(cursor: Cursor, token: Token) -> nodes.Node:
    """A `line` filter; the keyword was just consumed."""
    errors = cursor.errors
    _mark_line(cursor)
    flags: dict[str, Token] = {}
    limits: nodes.Range | None = None
    while True:
        word = cursor.peek()
        if word.word in _LINE_FLAGS:
            cursor.take()
            _flag(cursor, flags, word, "line")
            other = {"primary": "secondary", "secondary": "primary"}.get(word.word, "")
            if other in flags:
                message = "`primary` and `secondary` exclude each other."
                cursor.report_always(word.span, "conflicting-words", message)
        elif limits is None and (found := ranges.plain_range(cursor)) is not None:
            limits = found
        else:
            break
    arrow = cursor.peek()
    if arrow.word not in _ARROWS:
        return cursor.expected("`-->` before the first filter of the line", "line --> check --> mate")
    backward = arrow.word == "<--"
    if backward:
        _no_way_back(cursor, arrow, flags)
    # Each `line` filter counts as one more level of nesting, because nested `line` filters must not exhaust
    # Python's stack.
    cursor.depth += 1
    constituents = _linked(cursor, arrow)
    cursor.depth -= 1
    node = nodes_paths.Line(
        cursor.since(token.offset), backward, limits,
        "primary" if "primary" in flags else "secondary" if "secondary" in flags else "",
        "singlecolor" in flags, "nestban" in flags, "firstmatch" in flags, "lastposition" in flags,
        "quiet" in flags, tuple(constituents),
    )  # fmt: skip
    return Broken(node.span) if cursor.errors > errors else cursor.made(node, *constituents)


def _mark_line(cursor: Cursor) -> None:
    """Find the wildcards among the signs `+` and `*` up to the end of the bracket. A sign that can only be a
    wildcard gets the `Token.word` of a wildcard."""
    if cursor.position < cursor.lines_until:
        return
    stop, depth = cursor.position, 0
    while cursor.peek(stop - cursor.position).word != END:
        token = cursor.tokens[stop]
        depth += (token.word in CLOSER_OF) - (token.word in CLOSERS)
        if depth < 0:
            break
        stop += 1
    cursor.lines_until = stop
    behind = cursor.peek(stop - cursor.position).word
    for place in range(stop - 1, cursor.position - 1, -1):
        token = cursor.tokens[place]
        ends = behind == END or behind in (")", "}") or behind in _ARROWS or behind in _LINE_WILDCARDS
        if token.word in ("+", "*") and ends:
            token = cursor.tokens[place] = token._replace(word=PATH_WORDS[token.word])
        behind = token.word


def _no_way_back(cursor: Cursor, arrow: Token, flags: dict[str, Token]) -> None:
    for word in ("primary", "secondary", "nestban"):
        if word in flags:
            message = f"`{word}` goes with `-->` only: backwards there is one way."
            cursor.report_always(arrow.span, "conflicting-words", message)
            return


def _linked(cursor: Cursor, arrow: Token) -> list[nodes.Node]:
    """The constituents of a `line` filter, each after an arrow. The next token is `arrow`, and all arrows
    must have the direction of `arrow`."""
    found: list[nodes.Node] = []
    while (sign := cursor.peek()).word in _ARROWS:
        _same_direction(cursor, arrow, sign)
        cursor.take()
        found.append(_line_constituent(cursor, arrow))
        _one_filter_each(cursor)
    return found


def _same_direction(cursor: Cursor, first: Token, sign: Token) -> None:
    if sign.word != first.word:
        message = f"All arrows of a line point the same way, here `{first.text}`."
        cursor.report_always(sign.span, "mixed-arrows", message)


def _line_constituent(cursor: Cursor, arrow: Token) -> nodes.Node:
    """A constituent of a `line` filter: a filter or a bracket, followed by any wildcards. All arrows must
    have the direction of `arrow`."""
    start = cursor.peek()
    if cursor.at_end_of_group():
        return cursor.expected("a filter behind the arrow")
    node = _line_chain(cursor, arrow) if _begins_line_chain(cursor) else cursor.expression(14)
    node = _condition(cursor, node, start)
    while (token := cursor.peek()).word in _LINE_WILDCARDS:
        cursor.take()
        if not isinstance(node, Broken):
            node = _repeated(cursor, token, node)
    return node


def _begins_line_chain(cursor: Cursor) -> bool:
    """True at a round bracket that contains an arrow or a wildcard of this `line` filter. Any other bracket
    holds a filter."""
    if cursor.peek().word != "(":
        return False
    arrows = _Arrows()
    # The bracket depth of the current inner `path` or `line` filter; 0 outside inner filters. The signs of an
    # inner filter do not belong to the outer `line` filter.
    inner = 0
    in_path = False
    for token, depth in _inside(cursor):
        if inner and depth >= inner:
            continue
        inner = 0
        if arrows.links(token):
            return True
        if token.word in _LINE_WILDCARDS and not in_path:
            return True
        if token.word in ("path", "line"):
            if depth > 1:
                inner = depth
            elif token.word == "line":
                return False
            in_path = True
    return False


class _Arrows:
    """Distinguishes the arrows of a line from the arrows of `find`. `links` must be called for each token in
    order."""

    def __init__(self) -> None:
        self._after_find = False

    def links(self, token: Token) -> bool:
        """True for an arrow of the line."""
        if token.word == "find":
            self._after_find = True
            return False
        taken = self._after_find and token.word == "<--"
        parameter = token.word in ("quiet", "all", "count", "-") or token.kind in (Kind.NUMBER, Kind.NAME)
        self._after_find = self._after_find and (taken or parameter)
        return token.word in _ARROWS and not taken


def _line_chain(cursor: Cursor, arrow: Token) -> nodes.Node:
    opener = cursor.take()
    cursor.depth += 1
    if cursor.depth > MAX_DEPTH:
        cursor.too_deep(opener.span)
    found = [_line_constituent(cursor, arrow)]
    while (sign := cursor.peek()).word in _ARROWS:
        _same_direction(cursor, arrow, sign)
        cursor.take()
        found.append(_line_constituent(cursor, arrow))
    cursor.depth -= 1
    if not cursor.at_end_of_group():
        _two_filters(cursor)
        cursor.skip_group()
        found.append(Broken(opener.span))
    cursor.take()
    span = cursor.since(opener.offset)
    if len(found) == 1:
        return found[0]
    return cursor.made(nodes_paths.LineChain(span, arrow.word == "<--", tuple(found)), *found)


def _one_filter_each(cursor: Cursor) -> None:
    """Report a second filter in a constituent of a line. The second filter is reported only if an arrow of
    the same line follows later."""
    if cursor.at_end_of_group() or cursor.peek().word in _ARROWS:
        return
    depth, arrows = 0, _Arrows()
    for place in range(cursor.position, len(cursor.tokens)):
        token = cursor.peek(place - cursor.position)
        depth += (token.word in CLOSER_OF) - (token.word in CLOSERS)
        if token.word == END or depth < 0 or token.word in ("line", "path"):
            return
        if not depth and arrows.links(token):
            _two_filters(cursor)
            cursor.position = place
            return


def _two_filters(cursor: Cursor) -> None:
    message = "Between two arrows stands one filter; here a second one begins."
    cursor.report(cursor.peek().span, "unexpected-filter", message, "put several filters into braces { }")


# --- facts about paths --------------------------------------------------------------------------------------


def _path_fact(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes_paths.PathFact(token.span, _FACTS[token.word])


_FACTS: Final[dict[str, nodes_paths.PathFactWord]] = {
    word: word for word in get_args(nodes_paths.PathFactWord)
}

READERS.update(
    {"path": _path, "line": _line, **dict.fromkeys(_FACTS, _path_fact)},
)
