"""What a query asks about the text of a game. Most questions are about a game as a whole: the result, the
players' ratings, the tags, and filters that combine only these data. Other questions are about the comment
and the glyphs at a position, or about the numbers that commands in the comments at a position give.

Compiled code finds the answers in the frame, and `pruning` uses the answers to exclude games. The
interpreter's own closures compute the answers before the search. The answers therefore agree with the
interpreter. Each answer is computed once for each distinct text of a tag, not once for each game. If a query
needs an unknown answer, the game is doubtful.
"""

from __future__ import annotations

import functools
import operator
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

from cqlgui.base import arrays, errors, priority
from cqlgui.base.data import dataclass, replace
from cqlgui.board import tree
from cqlgui.board.position import Position
from cqlgui.cql.ast import nodes, nodes_facts, nodes_programs, nodes_strings, nodes_studies, nodes_tree, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.interpreting.families import closures_studies
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.cql.source import commands as commands_of_text
from cqlgui.cql.source import ecmascript, names
from cqlgui.cql.vocabulary import study_meanings
from cqlgui.engine.replaying import layout
from cqlgui.engine.replaying.games import Integers, Words
from cqlgui.jit.words import MASK
from cqlgui.store import commands, remarks

UNKNOWN: Final = 0
GIVEN: Final = 1
MISSING: Final = 2
"""States of an answer. In the frame and in `table`, each value is followed by its state."""

SECONDS: Final = 0.05
"""The maximum number of seconds for the evaluation of one regular expression. The total time of all slow
evaluations of one filter has the same limit. The limit is short, because threads that wait for these
evaluations cannot be interrupted."""
_SLOW: Final = 0.001

LARGEST: Final = 1 << 31
"""Numbers in answers have absolute values below `LARGEST`."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A filter that has one answer for a whole game. If `remark` is True, the filter has one answer for each
    position, and the answer depends only on the comment and the glyphs at the position, or only on the
    numbers of commands in the comments at the position. The answer is a number if `number` is True, the
    number of a text in `Asker.texts` if `text` is True, and otherwise a truth value."""

    node: nodes.Node
    number: bool
    text: bool = False
    remark: bool = False


Answers: TypeAlias = tuple[Words, Words]
"""The values and the states of one fact for several games. Those of a truth may be bytes instead of words."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The answers to a question about positions. The answers `firsts[g]` to `firsts[g + 1]` - 1 belong to
    positions of game g, with ascending positionids in `ids`. All other positions have the value and the state
    in `usual`."""

    firsts: Integers
    ids: Integers
    values: Words
    states: Words
    usual: tuple[int, int]

    def of_games(self, numbers: Integers) -> Spread:
        """The answers for the games `numbers`. In all other games, every position gets the usual answer."""
        sizes = np.diff(self.firsts)
        kept = np.zeros(len(sizes), np.bool_)
        kept[numbers] = True
        return self._with(np.where(kept, sizes, 0), np.repeat(kept, sizes))

    def take(self, numbers: Integers) -> Spread:
        """The answers for the games `numbers`, which ascend, as games 0, 1, ..."""
        sizes = np.diff(self.firsts)
        kept = np.zeros(len(sizes), np.bool_)
        kept[numbers] = True
        return self._with(sizes[numbers], np.repeat(kept, sizes))

    def _with(self, sizes: Integers, kept: np.ndarray) -> Spread:
        """A spread with the entries where `kept` is true. `sizes` has the number of entries of each game."""
        entries = np.flatnonzero(kept)
        return Spread(
            np.concatenate([[0], np.cumsum(sizes)]),
            self.ids[entries],
            self.values[entries],
            self.states[entries],
            self.usual,
        )


_ASKED: Final = (
    nodes.Result, nodes.Elo, nodes.Player, nodes.TagText, nodes_facts.Tag, nodes.String,
    nodes_studies.StudyAward,
)  # fmt: skip
_JOINING: Final = (
    nodes.Number, nodes.Truth, nodes.Not, nodes.Logic, nodes.Compound, nodes.Compare, nodes.Arithmetic,
    nodes.Negate, nodes.Numeric, nodes.Extremum, nodes.In, nodes.Count, nodes.ImplicitSearch,
    nodes_strings.Index, nodes_strings.Slice, nodes_strings.Case, nodes_strings.IndexOf, nodes_strings.Int,
    nodes_strings.Ascii, nodes_strings.Str, nodes_tree.Equal,
)  # fmt: skip


def is_fact(node: nodes.Node, *, searches: bool) -> bool:
    """Whether a filter depends only on the game as a whole. With `searches`, the filter may contain searches
    with regular expressions. The caller passes the result of `leaves_no_trace` for `searches`."""
    return _is_constant(node, searches) and any(_is_asked(one) for one in nodes.walk(node))


def _is_asked(node: nodes.Node) -> bool:
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
        case _ if isinstance(node, _JOINING):
            return all(_is_constant(one, searches) for one in nodes.children(node))
        case _:
            return _is_asked(node)


def is_remark(node: nodes.Node, *, searches: bool) -> bool:
    """Whether a filter depends only on the comment and the glyphs at the position, or only on the numbers of
    commands at the position. `searches` has the meaning of `is_fact`."""
    return _is_calculated(node) or _reads_remarks(node, searches)


def _is_calculated(node: nodes.Node) -> bool:
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
        if _is_said(one):
            found = True
        elif isinstance(one, nodes_strings.Search):
            if not searches:
                return False
            waiting.append(one.text)
        elif isinstance(one, _JOINING):
            waiting.extend(nodes.children(one))
        elif not isinstance(one, nodes.String):
            return False
    return found


def _is_said(node: nodes.Node) -> bool:
    """Whether a filter reads the comment or the glyphs at the position."""
    if isinstance(node, nodes_studies.Study):
        return node.key in study_meanings.COMMENT_TAGS
    return isinstance(node, nodes_facts.OriginalComment | nodes_facts.Glyph)


def leaves_no_trace(body: nodes.Node) -> bool:
    """True if no filter of a query reads the groups of a regular expression that matched."""
    return not any(isinstance(one, nodes_strings.Group | nodes_programs.While) for one in nodes.walk(body))


def gathered(body: nodes.Node) -> tuple[nodes.Node, frozenset[int]]:
    """A query whose filters about strings depend on the game alone, with these filters in one new compound.
    Returns the query and the `id` of the compound. A query that assigns strings, or reads the groups of a
    regular expression, has such filters only together, because they pass data to each other. If this is not
    possible, the result is the query itself and an empty set.

    `x = 0 while (player white ~~ "[aeiou]") x += 1 sort x` becomes `sort {x = 0 while ... x}`.
    """
    special = {id(node) for node in nodes.walk(body) if _passes_data(node)}
    if not special:
        return body, frozenset()
    made: list[nodes.Node] = []
    new = _gather(body, body, special, made)
    return (new, frozenset(map(id, made))) if made else (body, frozenset())


def _passes_data(node: nodes.Node) -> bool:
    if isinstance(node, nodes_strings.Group | nodes_strings.SliceAssign):
        return True
    if isinstance(node, nodes_programs.While):
        return True
    return isinstance(node, nodes.Assign) and any(_is_asked(one) for one in nodes.walk(node.value))


def _gather(node: nodes.Node, body: nodes.Node, special: set[int], made: list[nodes.Node]) -> nodes.Node:
    """`node` with the compound; the compound is added to `made`. All filters in `special` lie in `node`."""
    if not isinstance(node, nodes.Compound):
        return node
    inside = [{id(one) for one in nodes.walk(part)} & special for part in node.filters]
    places = [place for place, found in enumerate(inside) if found]
    if len(places) == 1 and isinstance(node.filters[places[0]], nodes.Compound):
        place = places[0]
        inner = _gather(node.filters[place], body, special, made)
        return replace(node, filters=(*node.filters[:place], inner, *node.filters[place + 1 :]))
    first, last = places[0], places[-1] + 1
    # A search may come before the filters that read its groups.
    while first and _is_local(node.filters[first - 1]):
        first -= 1
    while last < len(node.filters) and _is_local(node.filters[last]):
        last += 1
    run = list(node.filters[first:last])
    sort = run[-1] if isinstance(run[-1], nodes.Sort) else None
    if sort is not None:
        run[-1] = sort.operand
    elif last < len(node.filters):
        following = node.filters[last]
        if isinstance(following, nodes.Sort):
            sort = following
            run.append(sort.operand)
            last += 1
    if not all(map(_is_local, run)) or not any(_is_asked(one) for part in run for one in nodes.walk(part)):
        return node
    own = {id(one) for part in run for one in nodes.walk(part)}
    assigned = {one.name for part in run for one in nodes.walk(part) if isinstance(one, nodes.Assign)}
    for one in nodes.walk(body):
        name = getattr(one, "name", None)
        if isinstance(one, _NAMED) and (id(one) in own) != (name in assigned):
            return node
    compound = nodes.Compound(node.span, tuple(run))
    made.append(compound)
    part = compound if sort is None else replace(sort, operand=compound)
    return replace(node, filters=(*node.filters[:first], part, *node.filters[last:]))


_NAMED: Final = (nodes.Name, nodes.Assign, nodes_strings.SliceAssign, nodes_programs.IsBound)
"""Filters that use a variable by its name."""


def _is_local(node: nodes.Node) -> bool:
    """Whether a filter depends on the game as a whole, on groups and on variables alone."""
    match node:
        case nodes.Assign(persistent=False, atomic=False) | nodes.Name() | nodes_strings.Group():
            pass
        case nodes_strings.SliceAssign() | nodes_strings.Search() | nodes_programs.While():
            pass
        case _ if not isinstance(node, _JOINING) and not _is_asked(node):
            return False
    return all(map(_is_local, nodes.children(node)))


@dataclass(frozen=True, slots=True)
class Coded:
    """A property of several games. Each distinct value is stored once. Game g has the value
    `values[codes[g]]`."""

    codes: Integers
    values: Sequence[Any]

    @classmethod
    def of(cls, values: Iterable[Hashable]) -> Coded:
        """Encode `values`, which has one value for each game, in the order of the games."""
        known: dict[Hashable, int] = {}
        codes = [known.setdefault(value, len(known)) for value in values]
        return cls(np.array(codes, np.int64), list(known))


class Memo(Protocol):
    """Keeps the values of filters in certain games. A memo may drop values at any time."""

    def get(self, node: nodes.Node, /) -> Coded | None:
        """The values of a filter, or None if the values are not known."""
        ...

    def __setitem__(self, node: nodes.Node, values: Coded, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Numbered:
    """The texts of a tag in several games as numbers, which all games of a base share: two games have the
    same number only if they have the same text. `numbers` has the numbers in several arrays, in the order of
    the games. `texts` has the texts of some numbers; the text of a game without the tag is None. `with_text`
    has the numbers of all texts of the base that contain a text, in the same case. `answers` has the known
    answers to a question by number: a row with the values, and a row with the states. The rows have room for
    all numbers of these games, and the state of an unknown answer is 0."""

    numbers: Sequence[np.ndarray]
    size: int
    """A number that is larger than all `numbers`."""
    texts: Callable[[Sequence[int]], Sequence[str | None]]
    with_text: Callable[[str], np.ndarray]
    answers: Callable[[Fact], np.ndarray]

    def take(self, row: np.ndarray) -> np.ndarray:
        """The entries of a row of `answers` for the games."""
        found = np.empty(sum(map(len, self.numbers)), row.dtype)
        # NumPy takes by wide numbers. One small array for all blocks stays in the processor's cache, and new
        # memory would cost more than the numbers.
        places = np.empty(max(map(len, self.numbers), default=0), np.intp)
        at = 0
        for part in self.numbers:
            some, end = places[: len(part)], at + len(part)
            some[:] = part
            # All numbers are in range. With another mode, NumPy would write to a copy of `out` first.
            row.take(some, out=found[at:end], mode="clip")
            at = end
        return found


class Tags(Protocol):
    """The tags of several games. `memo` keeps the values of filters that read these tags, as long as the
    values are valid."""

    @property
    def memo(self) -> Memo:
        """Keeps the values of filters that read these tags."""
        ...

    def tag(self, name: str) -> Coded:
        """The texts of a tag in the games. The text is None in a game without the tag."""
        ...

    def numbered(self, name: str) -> Numbered | None:
        """The texts of a tag as numbers; None if the tag has no such numbers."""
        ...

    @property
    def result(self) -> Coded:
        """The results of the games, in the form of `Host.result`."""
        ...

    @property
    def first_comments(self) -> Coded:
        """The comments at the starting positions, in the form of `Host.comment`."""
        ...

    @property
    def cooked(self) -> Coded:
        """The mark of a cook for each game; None if the text of the game does not contain the mark."""
        ...

    @property
    def remarks(self) -> remarks.Remarks:
        """The comments and the glyphs at the positions of the games."""
        ...

    @property
    def commands(self) -> commands.Commands:
        """The numbers of commands at the positions of the games, in columns in the order of
        `commands_of_text.KEYS`."""
        ...

    @property
    def gamenumbers(self) -> range:
        """The numbers of the games."""
        ...

    @property
    def game_count(self) -> int:
        """The number that `Host.game_count` returns."""
        ...


_TEXTS: Final = (nodes.Player, nodes.TagText, nodes_facts.Tag)


def never() -> bool:
    """A default for `is_over`, for a caller that never cancels the work."""
    return False


class Asker:
    """Computes the answer to each `Fact` of one query, for any games. Each thread needs its own `Asker`."""

    def __init__(self, facts: Sequence[Fact], declared: types.Names, last_game: int | None) -> None:
        """`last_game` is the highest game number that the header of the query admits, or None if the header
        sets no limit."""
        self._facts = facts
        self._names = declared
        self.texts: list[str] = []
        """The texts of answers. Texts are added, but never removed."""
        self._numbers: dict[str, int] = {}
        self._codes: dict[nodes.Node, closures.Code] = {}
        self._asked: dict[nodes.Node, set[str]] = {}
        self._host = _Host()
        host: Any = self._host
        nothing = tree.GameTree(Position.start())
        self._evaluation = evaluation.Evaluation(
            nothing, host, variables=0, sort_keys=0, automatic_comments=False, explicit_comments=False,
            last_game=last_game,
        )  # fmt: skip
        self._evaluation.patience = SECONDS
        self._said: dict[Fact, dict[remarks.Remark, tuple[int, int]]] = {}
        """The known answers to questions about positions."""
        self._remark_host = _RemarkHost()
        host = self._remark_host
        # A filter about glyphs fails at the root. The evaluation therefore stands at a position after a move.
        # `Remarks` has no glyphs at the root.
        self._remark_evaluation = evaluation.Evaluation(
            nothing, host, variables=0, sort_keys=0, automatic_comments=False, explicit_comments=False
        )  # fmt: skip
        self._remark_evaluation.id = 1
        self._remark_evaluation.patience = SECONDS
        self._is_over: Callable[[], bool] = never
        self._known: dict[Hashable, dict[tuple[Any, ...], Any]] = {}
        """Values of filters that read one tag, by the text of the tag. The values are kept, because many
        texts occur again in other segments of a database."""
        self._matched: dict[nodes.Node, dict[str | None, str | None]] = {}
        """For each filter with a regular expression, the part of each known text that matched, or None."""
        self._left: dict[nodes.Node, float] = {}
        """The seconds that are left for each filter with slow evaluations. Filters without slow evaluations
        are missing here."""

    @functools.cached_property
    def _compiler(self) -> closures.Compiler:
        # The module is imported late, because most queries contain no questions about games and do
        # not need the module.
        from cqlgui.cql.interpreting import compilers

        return compilers.compiler(self._names)

    def answers(self, tags: Tags, is_over: Callable[[], bool] = never) -> dict[Fact, Answers | Spread]:
        """The answers for each fact, and a `Spread` for each question about positions. Raises
        `errors.Cancelled` once `is_over` returns True.

        If an answer takes too long, the answer is unknown in this call and in later calls. A slow regular
        expression may cause this delay.
        """
        self._is_over = is_over
        return {
            fact: self._spread(fact, tags) if fact.remark else self._answers(fact, tags)
            for fact in self._facts
        }

    def _answers(self, fact: Fact, tags: Tags) -> Answers:
        return (
            self._shown(fact, tags)
            or self._by_number(fact, tags)
            or self._joined(fact, tags)
            or self._one_by_one(fact, tags)
        )

    def _by_number(self, fact: Fact, tags: Tags) -> Answers | None:
        """The answers to a question about one tag. A number that was met before, in other games of the base
        or in an earlier search, has the same answer again. Returns None if this is not possible."""
        name = None if fact.text else _only_tag(fact.node)
        numbered = None if name is None else tags.numbered(name)
        if name is None or numbered is None:
            return None
        values, states = numbered.answers(fact)
        if (states[: numbered.size] == GIVEN).all():
            given = states.dtype.type(GIVEN)
            return numbered.take(values), np.broadcast_to(given, sum(map(len, numbered.numbers)))
        found = numbered.take(states)
        unknown = found == UNKNOWN
        if unknown.any():
            part = _part_of_names(fact)
            if part is None:
                new = arrays.distinct(np.concatenate(numbered.numbers)[unknown])
            else:
                # The database compares tens of thousands of names more quickly than they can be fetched.
                new = numbered.with_text(part)
                new = new[new < numbered.size]
                others = np.ones(numbered.size, np.bool_)
                others[new] = False
                states[: numbered.size][others] = GIVEN
            # Other threads may read at any time, so the states are written last.
            values[new], states[new] = self._answers(fact, _Texts(name, numbered.texts(new.tolist())))
            found = numbered.take(states)
        return numbered.take(values), found

    def _shown(self, fact: Fact, tags: Tags) -> Answers | None:
        """The truth of a string filter whose text is asked for too. The filter holds if it has a text."""
        text = replace(fact, text=True)
        if fact.number or fact.text or text not in self._facts or self._code(fact.node).apart:
            return None
        known = self._answers(text, tags)[1]
        states = np.where(known == UNKNOWN, UNKNOWN, GIVEN).astype(np.uint64)
        return (known == GIVEN).astype(np.uint64), states

    def _code(self, node: nodes.Node) -> closures.Code:
        code = self._codes.get(node)
        if code is None:
            code = self._codes[node] = self._compiler.compile(node)
        return code

    # --- on whole columns

    def _joined(self, fact: Fact, tags: Tags) -> Answers | None:
        """Combine the answers for the parts of a filter. Returns None for a filter that is answered more
        quickly as a whole."""
        match fact:
            case Fact(nodes.Not(operand=operand), number=False, text=False):
                return _opposite(self._answers(Fact(operand, number=False), tags))
            case Fact(nodes.Logic() as node, number=False, text=False):
                parts = [self._answers(Fact(one, number=False), tags) for one in (node.left, node.right)]
                return _both(*parts) if node.word == "and" else _opposite(_both(*map(_opposite, parts)))
            case Fact(nodes.Compound(filters=filters) as node, number=False, text=False) if not any(
                map(_passes_data, nodes.walk(node))
            ):
                # The parts are answered separately, because the texts of all parts together would form many
                # more distinct rows.
                return functools.reduce(
                    _both, [self._answers(Fact(one, number=False), tags) for one in filters]
                )
            case Fact(nodes.Compare() as node, text=False) if self._are_numbers(node.left, node.right):
                parts = [self._answers(Fact(one, number=True), tags) for one in (node.left, node.right)]
                return _compared(node.operator, *parts, number=fact.number)
            case Fact(nodes.Arithmetic() as node, number=True):
                parts = [self._answers(Fact(one, number=True), tags) for one in (node.left, node.right)]
                return _computed(node.operator, *parts)
            case Fact(nodes.Measure(word="gamenumber"), number=True):
                numbers = np.array(tags.gamenumbers, np.uint64)
                return numbers, np.full(len(numbers), GIVEN, np.uint64)
            case Fact(nodes.ImplicitSearch() as node, number=False, text=False) if isinstance(
                node.text, _TEXTS
            ):
                return self._containing(node.needle, node.text, tags)
            case Fact(nodes_strings.Search() as node, number=False) if isinstance(node.text, _TEXTS):
                return self._matching(node, fact.text, tags)
            case Fact(nodes.Elo(colour=None) as node, number=True):
                ratings = [nodes.Elo(node.span, "white"), nodes.Elo(node.span, "black")]
                first, second = (self._answers(Fact(one, number=True), tags) for one in ratings)
                # A player without a rating has the value 0 and the larger state (`MISSING`). The other
                # player's rating therefore becomes the answer.
                return np.maximum(first[0], second[0]), np.minimum(first[1], second[1])
            case Fact(nodes.Elo() | nodes.Measure(word="year") as node, number=True):
                values = self._remembered(node, tags)
                pairs = np.array([_number(value) for value in values.values], np.uint64).reshape(-1, 2)
                return pairs[values.codes, 0], pairs[values.codes, 1]
            case _:
                return None

    def _containing(self, needle: str, text: nodes.Node, tags: Tags) -> Answers:
        """For each game, whether a text contains `needle`."""
        if isinstance(text, nodes.Player) and text.colour is None and needle and "\n" not in needle:
            # The needle must be in one of the two names. Single names are searched more quickly than pairs of
            # names, because there are fewer names than pairs.
            white, black = nodes.Player(text.span, "white"), nodes.Player(text.span, "black")
            (first, known), (second, _) = (
                self._answers(Fact(nodes.ImplicitSearch(text.span, needle, one), number=False), tags)
                for one in (white, black)
            )
            return first | second, known
        if isinstance(text, nodes.Player) and text.colour and needle:
            # Tens of thousands of names are compared without a call of a closure for each.
            texts = tags.tag(text.colour.capitalize())
            holds = names.players_with(needle, texts.values)
        else:
            texts = self._remembered(text, tags)
            holds = [value is not None and needle in value for value in texts.values]
        found = np.array(holds, np.uint64)
        return found[texts.codes], np.full(len(texts.codes), GIVEN, np.uint64)

    def _matching(self, node: nodes_strings.Search, wants_text: bool, tags: Tags) -> Answers:
        """What a regular expression matches in a text of each game. With `wants_text`, the answer is the part
        that matched. Otherwise the answer says whether there is a match. Each distinct text is searched
        once."""
        texts = self._remembered(node.text, tags)
        values, states = self._told_of_matches(node, texts.values, wants_text)
        return values[texts.codes], states[texts.codes]

    def _told_of_matches(
        self, node: nodes_strings.Search, texts: Sequence[str | None], wants_text: bool
    ) -> tuple[Any, Any]:
        """The values and the states of the answers for some texts. After too much time, the other answers
        stay unknown."""
        known = self._matched.setdefault(node, {None: None})
        if len(known) > _MOST_KNOWN:
            known.clear()
            known[None] = None
        if self._left.get(node, SECONDS) > 0:
            self._match(node, texts, known)
        pairs = np.array([self._told(known, text, wants_text) for text in texts], np.uint64)
        values, states = pairs.reshape(-1, 2).T
        return values, states

    def _match(
        self, node: nodes_strings.Search, texts: Sequence[str | None], known: dict[str | None, str | None]
    ) -> None:
        """Add the part of each text that matched to `known`, until the time is over."""
        own_time = 0.0
        for number, text in enumerate(texts):
            if number % _PAUSE == 0:
                if self._is_over():
                    raise errors.Cancelled
                priority.pause()
                own_time = time.thread_time()
            if text is None or text in known:
                continue
            started = time.perf_counter()
            try:
                found = ecmascript.first(node.pattern, text, 0, SECONDS)
            except TimeoutError:
                self._left[node] = 0.0
                return
            known[text] = None if found is None else found.group()
            if time.perf_counter() - started > _SLOW and self._spend(node, (started, own_time)) <= 0:
                return

    def _told(
        self, known: Mapping[str | None, str | None], text: str | None, wants_text: bool
    ) -> tuple[int, int]:
        """The value and the state of the answer for a text, if `known` has the part of each text that
        matched."""
        if text not in known:
            return _TOO_MUCH
        found = known[text]
        if not wants_text:
            return int(found is not None), GIVEN
        return (0, MISSING) if found is None else (self._number_of(found), GIVEN)

    def _are_numbers(self, *parts: nodes.Node) -> bool:
        return all(types.infer(part, self._names) is Type.NUMERIC for part in parts)

    # --- by what the comments and glyphs say

    def _spread(self, fact: Fact, tags: Tags) -> Spread:
        """The answers to a question about positions."""
        if _is_calculated(fact.node):
            return _spread_of_commands(fact, tags.commands)
        text = replace(fact, text=True)
        if not fact.number and text in self._facts and not self._code(fact.node).apart:
            # A string filter whose text is asked for too. The filter holds if it has a text.
            found = self._spread_of_remarks(text, tags.remarks)
            if fact.text:
                return found
            usual = int(found.usual[1] == GIVEN), UNKNOWN if found.usual[1] == UNKNOWN else GIVEN
            states = np.where(found.states == UNKNOWN, UNKNOWN, GIVEN).astype(np.uint64)
            values = (found.states == GIVEN).astype(np.uint64)
            return replace(found, values=values, states=states, usual=usual)
        return self._spread_of_remarks(fact, tags.remarks)

    def _spread_of_remarks(self, fact: Fact, found: remarks.Remarks) -> Spread:
        """The answers to a question about positions. The question is answered once for each distinct comment,
        or for each distinct row of glyphs, if it reads only one of these."""
        node = fact.node
        if (
            isinstance(node, nodes_strings.Search)
            and isinstance(node.text, nodes_facts.OriginalComment)
            and not fact.number
        ):
            texts = [one or None for one in found.comments]
            return _spread_over(found, found.said, *self._told_of_matches(node, texts, fact.text))
        asked: list[remarks.Remark]
        reads_glyphs = any(isinstance(one, nodes_facts.Glyph) for one in nodes.walk(node))
        if not reads_glyphs:
            codes, asked = found.said, [remarks.Remark(one, ()) for one in found.comments]
        elif all(isinstance(one, nodes_facts.Glyph) for one in nodes.walk(node) if _is_said(one)):
            codes, asked = found.signed, [remarks.Remark(None, one) for one in found.glyphs]
        else:
            pairs = np.concatenate([[0], found.said * len(found.glyphs) + found.signed])
            met, places = np.unique(pairs, return_inverse=True)
            codes = places[1:]
            asked = [
                remarks.Remark(
                    found.comments[one // len(found.glyphs)], found.glyphs[one % len(found.glyphs)]
                )
                for one in met.tolist()
            ]
        # The first of `asked` is what the file says about most positions: nothing.
        known = self._said.setdefault(fact, {})
        if len(known) > _MOST_KNOWN:
            known.clear()
        self._find_out(fact, asked, known)
        values, states = np.array([known.get(one, _TOO_MUCH) for one in asked], np.uint64).T
        return _spread_over(found, codes, values, states)

    def _find_out(
        self, fact: Fact, asked: Sequence[remarks.Remark], known: dict[remarks.Remark, tuple[int, int]]
    ) -> None:
        """Add the answers for remarks to `known`. After too much time, the other answers stay unknown."""
        node, state, host = fact.node, self._remark_evaluation, self._remark_host
        code = self._code(node)
        timed = any(isinstance(one, nodes_strings.Search) for one in nodes.walk(node))
        if isinstance(node, nodes.ImplicitSearch) and isinstance(node.text, nodes_facts.OriginalComment):
            needle = node.needle
            known.update((one, (int(needle in (one.comment or "")), GIVEN)) for one in asked)
            known[remarks.NOTHING] = 0, GIVEN
            return
        if self._left.get(node, SECONDS) <= 0:
            return
        own_time = 0.0
        for number, remark in enumerate(asked):
            if number % _PAUSE == 0:
                if self._is_over():
                    raise errors.Cancelled
                priority.pause()
                own_time = time.thread_time()
            if remark in known:
                continue
            host.remark = remark
            state.groups = None
            started = time.perf_counter()
            try:
                known[remark] = self._answered(fact, code, state)
            except evaluation.QueryError:
                known[remark] = _TOO_MUCH
            if (
                timed
                and time.perf_counter() - started > _SLOW
                and self._spend(node, (started, own_time)) <= 0
            ):
                return

    def _answered(self, fact: Fact, code: closures.Code, state: evaluation.Evaluation) -> tuple[int, int]:
        """The value and the state of the answer in a state of the evaluation."""
        if fact.number:
            return _number(code.value(state))
        if fact.text:
            value = code.value(state)
            return (0, MISSING) if value is None else (self._number_of(value), GIVEN)
        return int(bool(code.test(state))), GIVEN

    # --- by what the tags say

    def _one_by_one(self, fact: Fact, tags: Tags) -> Answers:
        """The answers to a fact. Two games share one evaluation if all tags that the filter reads have equal
        texts."""

        def answer(code: closures.Code) -> tuple[int, int]:
            return self._answered(fact, code, self._evaluation)

        if fact.text and isinstance(fact.node, _TEXTS):
            texts = self._remembered(fact.node, tags)
            numbers = np.array(
                [0 if one is None else self._number_of(one) for one in texts.values], np.uint64
            )
            states = np.array([MISSING if one is None else GIVEN for one in texts.values], np.uint64)
            return numbers[texts.codes], states[texts.codes]
        found = self._found(fact, fact.node, answer, _TOO_MUCH, tags)
        pairs = np.array(found.values, np.uint64).reshape(-1, 2)
        return pairs[found.codes, 0], pairs[found.codes, 1]

    def _number_of(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number

    def _remembered(self, node: nodes.Node, tags: Tags) -> Coded:
        """The values of a filter that never raises an error. The values are kept with the tags."""
        known = tags.memo.get(node)
        if known is None:
            key: Any = node
            if isinstance(node, nodes.Player | nodes.Elo) and node.colour is not None:
                # Both players share one key, because equal texts of the two players' tags give equal values.
                key = type(node)
            known = self._found(key, node, lambda code: code.value(self._evaluation), None, tags)
            tags.memo[node] = known
        return known

    def _found(
        self,
        key: Hashable,
        node: nodes.Node,
        ask: Callable[[closures.Code], Any],
        fault: Any,
        tags: Tags,
    ) -> Coded:
        """The value of a filter in each game. The value is `fault` in games where the filter raises an error.
        The values of a filter that reads only one tag are kept under `key`. Two filters of this kind may
        share a `key` only if both filters have the same value for the same text."""
        if self._left.get(node, SECONDS) <= 0:
            return Coded(np.zeros(len(tags.gamenumbers), np.int64), [fault])
        code = self._code(node)
        asked = self._asked.setdefault(node, set())
        timed = any(isinstance(one, nodes_strings.Search) for one in nodes.walk(node))
        while True:
            listed = sorted(asked)
            rows, codes = _met([_column(tags, name) for name in listed], len(tags.gamenumbers))
            known = self._known_of(key, listed)
            self._host.set({})
            for row in rows:
                if row in known:
                    continue
                self._host.set(dict(zip(listed, row, strict=True)))
                self._evaluation.memo.clear()
                self._evaluation.variables = [evaluation.UNBOUND] * len(self._compiler.slots)
                self._evaluation.groups = None
                if self._is_over():
                    raise errors.Cancelled
                priority.pause()
                started = (time.perf_counter(), time.thread_time()) if timed else (0.0, 0.0)
                try:
                    value, faults = ask(code), False
                except evaluation.QueryError:
                    value, faults = fault, True
                too_long = timed and self._spend(node, started) <= 0
                if faults or not self._host.asked <= asked:
                    # If one text causes an error, the other texts would probably cause an error too. The loop
                    # therefore ends.
                    break
                known[row] = value
                if too_long:
                    break
            if self._host.asked <= asked:
                return Coded(codes, [known.get(row, fault) for row in rows])
            # The filter has read a tag that it had not read before.
            asked |= self._host.asked

    def _known_of(self, key: Hashable, listed: Sequence[str]) -> dict[tuple[Any, ...], Any]:
        """A dictionary of the known values. Each key is a row of texts, one text for each of the tags
        `listed`. The caller adds new values to the dictionary."""
        if len(listed) != 1 or listed[0] == _GAMENUMBER:
            # Few pairs of texts occur twice, and no game number occurs twice. The values are therefore not
            # kept.
            return {}
        known = self._known.setdefault(key, {})
        if len(known) > _MOST_KNOWN:
            known.clear()
        return known

    def _spend(self, node: nodes.Node, started: tuple[float, float]) -> float:
        """Count the time of an evaluation. `started` has the clock time and the thread's processor time at
        the beginning of the evaluation. Returns the seconds that are left for the filter."""
        # The time while other threads hold Python's global lock does not count. On some systems a thread's
        # processor time advances in jumps, so the clock time is an upper limit.
        spent = min(time.perf_counter() - started[0], time.thread_time() - started[1])
        if spent > _SLOW:
            self._left[node] = self._left.get(node, SECONDS) - spent
        return self._left.get(node, SECONDS)


def _spread_over(found: remarks.Remarks, codes: Any, values: Any, states: Any) -> Spread:
    """Answers by number. `codes` has the number of the answer for each position where the file says
    something. The answer 0 is that of all other positions."""
    odd = (values != values[0]) | (states != states[0])
    which = np.flatnonzero(odd[codes])
    codes = codes[which]
    usual = int(values[0]), int(states[0])
    return Spread(np.searchsorted(which, found.firsts), found.ids[which], values[codes], states[codes], usual)


def table(
    facts: Sequence[Fact],
    answers: Mapping[Fact, Answers | Spread],
    count: int,
    numbers: Integers | None = None,
) -> Words:
    """Two words for each fact and each of `count` games, one game after the other: the value and the state of
    the answer. `scanning.scan` takes this table. If `numbers` is given, the table is for a search of these
    games alone.

    For a question about positions, the words are the address of a *list* and the number of entries in this
    list. An entry has two words: the positionid, shifted by `layout.ANSWER_SHIFT`, with the state, and the
    value. The entries have ascending positionids. Before them, the list has one more entry with the answer
    for all other positions. The lists stand behind the games in the table, so the table must not be copied.
    """
    spreads = [(place, answers[fact]) for place, fact in enumerate(facts)]
    few = numbers if numbers is not None and 2 * len(numbers) < count else None
    lists = {
        place: _lists(one if few is None else one.of_games(few), count)
        for place, one in spreads
        if isinstance(one, Spread)
    }
    size = count * len(facts) * 2
    whole = np.zeros(size + sum(len(words) for _, _, words in lists.values()), np.uint64)
    found = whole[:size].reshape(count, len(facts), 2)
    at = size
    for place, fact in enumerate(facts):
        answer = answers[fact]
        if not isinstance(answer, Spread):
            asked = slice(None) if few is None else few
            for word, column in enumerate(answer):
                found[asked, place, word] = column[asked]
            continue
        begins, entries, words = lists[place]
        whole[at : at + len(words)] = words
        found[:, place, 0] = whole.ctypes.data + 8 * (at + begins)
        found[:, place, 1] = entries
        at += len(words)
    return whole


def _lists(spread: Spread, count: int) -> tuple[Integers, Integers, Words]:
    """The lists of a question about positions: for each game the place of its list and the number of entries,
    and the words of all lists. Games without entries share the first list."""
    sizes = np.diff(spread.firsts)[:count]
    own = sizes > 0
    ends = 2 + np.cumsum(np.where(own, 2 * (sizes + 1), 0))
    begins = np.where(own, ends - 2 * (sizes + 1), 0)
    words = np.zeros(int(ends[-1]) if count else 2, np.uint64)
    value, state = spread.usual
    for heads in (np.zeros(1, np.int64), begins[own]):
        words[heads], words[heads + 1] = state, value
    game = np.repeat(np.arange(count), sizes)
    entries = np.arange(len(game))
    places = begins[game] + 2 * (entries - spread.firsts[game] + 1)
    words[places] = (
        spread.ids[entries].astype(np.uint64) << np.uint64(layout.ANSWER_SHIFT) | spread.states[entries]
    )
    words[places + 1] = spread.values[entries]
    return begins, sizes, words


# --- by what commands in comments say -----------------------------------------------------------------------


def _spread_of_commands(fact: Fact, found: commands.Commands) -> Spread:
    """The answers to a question about the numbers of commands, for all positions at once."""
    values, states = _calculated(fact.node, fact.number, found.columns, len(found.ids))
    # No column has a number at the positions without an entry.
    usual, state = _calculated(fact.node, fact.number, [None] * len(found.columns), 1)
    which = np.flatnonzero((values != usual) | (states != state))
    return Spread(
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
                return _everywhere((0, MISSING), count)
            missing = column == commands.NO_NUMBER
            numbers = column.astype(np.int64)
            numbers[missing] = 0
            states = np.where(missing, MISSING, GIVEN).astype(np.uint64)
            return (-numbers if node.colour == "black" else numbers).view(np.uint64), states
        case nodes.Number():
            return _everywhere(_number(node.value), count)
        case nodes.Truth():
            return _everywhere((int(node.value), GIVEN), count)
        case nodes.Not():
            return _opposite(part(node.operand, False))
        case nodes.Logic():
            parts = [part(one, False) for one in (node.left, node.right)]
            return _both(*parts) if node.word == "and" else _opposite(_both(*map(_opposite, parts)))
        case nodes.Compound():
            *tests, last = node.filters
            whole = part(last, number)
            for one in tests:
                whole = _if_holds(part(one, False), whole) if number else _both(part(one, False), whole)
            return whole
        case nodes.Compare():
            return _compared(node.operator, part(node.left, True), part(node.right, True), number=number)
        case nodes.Arithmetic():
            return _computed(node.operator, part(node.left, True), part(node.right, True))
        case nodes.Negate():
            return _computed("-", _everywhere((0, GIVEN), count), part(node.operand, True))
        case _:
            raise AssertionError(f"{type(node).__name__} is not calculated")


def _everywhere(answer: tuple[int, int], count: int) -> Answers:
    """The same value and state for `count` entries."""
    value, state = (np.broadcast_to(np.uint64(one), count) for one in answer)
    return value, state


_CONDITIONS: Final = (nodes.Truth, nodes.Not, nodes.Logic, nodes.Compound, nodes.Compare)
"""Filters of `_CALCULATED` whose truth is not just whether they have a number."""


def _if_holds(test: Answers, found: Answers) -> Answers:
    """The numbers of `found` where `test` holds. Elsewhere there is no number."""
    states = np.where(test[0] != 0, found[1], MISSING)
    states = np.where(test[1] == UNKNOWN, UNKNOWN, states).astype(np.uint64)
    return np.where(states == GIVEN, found[0], np.uint64(0)), states


# --- small things -------------------------------------------------------------------------------------------

_TOO_MUCH: Final = 0, UNKNOWN
_PAUSE: Final = 100
"""After this number of remarks, other threads may run, and the work may be cancelled."""
_MOST_KNOWN: Final = 200_000
"""The maximum number of texts for one `key` in `Asker._known`."""


def _number(found: Any) -> tuple[int, int]:
    if found is None:
        return 0, MISSING
    return (found & MASK, GIVEN) if -LARGEST < found < LARGEST else _TOO_MUCH


def _opposite(found: Answers) -> Answers:
    return found[0] ^ found[0].dtype.type(1), found[1]


def _both(first: Answers, second: Answers) -> Answers:
    """Whether both facts hold. The result is known only if both answers are known."""
    return first[0] & second[0], np.minimum(first[1], second[1])


def _compared(relation: str, first: Answers, second: Answers, *, number: bool) -> Answers:
    """A comparison of numbers. Without `number`, the answer says whether the comparison holds. With `number`,
    the answer is `first` if the comparison holds, and is missing if the comparison fails."""
    left, right = (one[0].view(np.int64) for one in (first, second))
    given = (first[1] == GIVEN) & (second[1] == GIVEN)
    # `!=` means `not ==`, even if a number is missing.
    holds = ~((left == right) & given) if relation == "!=" else _RELATIONS[relation](left, right) & given
    known = (first[1] != UNKNOWN) & (second[1] != UNKNOWN)
    states = np.where(holds, GIVEN, MISSING) if number else np.full(len(left), GIVEN)
    values = np.where(holds, first[0], np.uint64(0)) if number else holds
    return values.astype(np.uint64), np.where(known, states, UNKNOWN).astype(np.uint64)


def _computed(operation: str, first: Answers, second: Answers) -> Answers:
    """The result of an operation with two numbers. The result is missing if a number is missing, or if the
    divisor is 0. The result is unknown if its absolute value is not below `LARGEST`."""
    left, right = (one[0].astype(np.int64) for one in (first, second))
    given = (first[1] == GIVEN) & (second[1] == GIVEN)
    if operation in ("/", "%"):
        # NumPy rounds quotients down, CQL rounds them towards 0. A remainder has the sign of the dividend.
        given &= right != 0
        divisor = np.where(right != 0, np.abs(right), 1)
        sign = np.where(left < 0, -1, 1)
        if operation == "/":
            values = np.abs(left) // divisor * sign * np.where(right < 0, -1, 1)
        else:
            values = np.abs(left) % divisor * sign
    else:
        # The absolute values of the numbers are below 1 << 31, so no result leaves 64 bits.
        values = _OPERATIONS[operation](left, right)
    states = np.where(given, np.where(np.abs(values) < LARGEST, GIVEN, UNKNOWN), MISSING)
    known = (first[1] != UNKNOWN) & (second[1] != UNKNOWN)
    states = np.where(known, states, UNKNOWN).astype(np.uint64)
    return np.where(states == GIVEN, values, 0).astype(np.int64).view(np.uint64), states


_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_RELATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def _met(columns: Sequence[Coded], count: int) -> tuple[list[tuple[Any, ...]], Integers]:
    """The distinct rows of values in several columns, and for each of the `count` games the index of its
    row."""
    if not columns:
        return [()], np.zeros(count, np.int64)
    if len(columns) == 1:
        return [(value,) for value in columns[0].values], columns[0].codes
    # The columns are combined one by one, because sorting whole rows would keep other threads waiting.
    rows: list[Integers] = []
    codes = np.zeros(count, np.int64)
    for column in columns:
        size = max(len(column.values), 1)
        met, codes = np.unique(codes * size + column.codes, return_inverse=True)
        rows = [row[met // size] for row in rows] + [met % size]
    texts = (map(column.values.__getitem__, row.tolist()) for column, row in zip(columns, rows, strict=True))
    return list(zip(*texts, strict=True)), codes


_RESULT: Final = "\0result"
_GAMENUMBER: Final = "\0gamenumber"
_GAME_COUNT: Final = "\0game count"
_FIRST_COMMENT: Final = "\0first comment"
_COOKED: Final = "\0cooked"
"""The names of the result, the game number, the number of games, the comment at the starting position and the
mark of a cook in the text. Filters read these data in the same way
as tags. No real tag has one of these names."""


def reads_tags_alone(node: nodes.Node) -> bool:
    """Whether a filter reads nothing of a game but tags."""
    return bool(_tags_read(node))


def _part_of_names(fact: Fact) -> str | None:
    """A text that is part of the tag in each game where a question about one player holds. None if there is
    no such text."""
    match fact.node:
        case nodes.ImplicitSearch(text=nodes.Player(colour=str())) if not fact.number:
            return names.part_of_tags(fact.node.needle)
        case _:
            return None


def _only_tag(node: nodes.Node) -> str | None:
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
            case _ if not isinstance(one, _JOINING):
                return set()
    return found


class _Texts:
    """`Tags` of games that have one tag each, all with different texts."""

    def __init__(self, name: str, texts: Sequence[str | None]) -> None:
        self._name = name
        self._texts = texts
        self.memo: Memo = {}
        self.gamenumbers = range(len(texts))
        self.game_count = 0

    def tag(self, name: str) -> Coded:
        """The texts of the tag."""
        assert name == self._name
        return Coded(np.arange(len(self._texts), dtype=np.int64), self._texts)

    def numbered(self, name: str) -> None:
        """No numbers, because no text occurs twice."""

    @property
    def result(self) -> Coded:
        """Not asked for, like all data but the tag."""
        return self.tag(_RESULT)

    first_comments = cooked = result

    @property
    def remarks(self) -> remarks.Remarks:
        """Not asked for."""
        raise AssertionError

    @property
    def commands(self) -> commands.Commands:
        """Not asked for."""
        raise AssertionError


def _column(tags: Tags, name: str) -> Coded:
    numbers = tags.gamenumbers
    if name == _RESULT:
        return tags.result
    if name == _FIRST_COMMENT:
        return tags.first_comments
    if name == _COOKED:
        return tags.cooked
    if name == _GAMENUMBER:
        return Coded(np.arange(len(numbers), dtype=np.int64), numbers)
    if name == _GAME_COUNT:
        return Coded(np.zeros(len(numbers), np.int64), [tags.game_count])
    return tags.tag(name)


class _Host:
    """A game with some tags, a result, a number and a first comment. Filters can read only these data from a
    host. A host notes which tags were read. A tag that is not given counts as missing."""

    def __init__(self) -> None:
        self.texts: dict[str, Any] = {}
        self.asked: set[str] = set()

    @property
    def result(self) -> str | None:
        return self.tag(_RESULT)

    @property
    def gamenumber(self) -> int:
        return self._number(_GAMENUMBER)

    @property
    def game_count(self) -> int:
        return self._number(_GAME_COUNT)

    def comment(self, positionid: int) -> str | None:
        assert positionid == 0
        return self.tag(_FIRST_COMMENT)

    def text(self) -> str:
        return self.tag(_COOKED) or ""

    def set(self, texts: dict[str, Any]) -> None:
        """Switch to another game."""
        self.texts = texts
        self.asked = set()

    def tag(self, name: str) -> str | None:
        self.asked.add(name)
        text: str | None = self.texts.get(name)
        return text

    def _number(self, name: str) -> int:
        self.asked.add(name)
        number: int = self.texts.get(name, 0)
        return number


class _RemarkHost(_Host):
    """The host of a game that has the same comment and glyphs at all positions."""

    remark = remarks.NOTHING

    def comment(self, positionid: int) -> str | None:
        return self.remark.comment

    def nags(self, positionid: int) -> tuple[int, ...]:
        return self.remark.glyphs
