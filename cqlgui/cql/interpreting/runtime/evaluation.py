"""The state of one game's evaluation: current position, variables, comment log, orbit matches, work budget.

The compiled closures read and write this state. This module does not depend on AST nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from cqlgui.base import errors
from cqlgui.base.data import dataclass
from cqlgui.board import attacks, legality, position, tree
from cqlgui.board.squares import Bitboard
from cqlgui.cql.interpreting.runtime import host as hosts
from cqlgui.cql.source.diagnostics import Span

WHITE: Final = 13
BLACK: Final = 14
OCCUPIED: Final = 15
"""Indices in `Evaluation.men` for the sets of all white men, all black men, and all men. Designators often
need these sets. The indices 0 to 12 are the codes in `board.men`."""

NO_CHILD: Final = -2
"""Value of `Evaluation.only_child` if a `line` cannot continue."""

UNBOUND: Final = object()
"""Marks an unbound variable. An unbound variable has no value: the query has not yet assigned a value in this
game, or has removed the value."""

MAX_MESSAGES: Final = 10_000
"""Maximum number of messages from one game."""

MOST_KEPT: Final = 32_000_000
"""Maximum number of characters in all comments, messages and dictionaries of one game together."""

PER_ENTRY: Final = 16
"""A number of characters that is added to the length of each comment, message or dictionary entry. Without
this extra weight, a query could fill all memory with many short entries."""

SECONDS: Final = 2.0
"""Seconds that a single search of a regular expression may take."""

_POLL_EVERY: Final = 4_000


class QueryError(errors.CqlguiError):
    """A fault of the query that is found only at run time (an unbound variable, a range out of bounds)."""

    def __init__(
        self,
        message: str,
        *,
        game: int,
        positionid: int,
        span: Span | None = None,
        variable: str = "",
        stops: bool = False,
    ) -> None:
        super().__init__(f"{message} (game {game}, position {positionid})")
        self.stops = stops or bool(variable)
        """Whether the fault stops the whole search. If False, the fault stops only the search of one game.
        Faults about variables stop the whole search (D14)."""
        self.game = game
        self.positionid = positionid
        self.span = span
        self.variable = variable


class TooSlow(errors.CqlguiError):
    """The time limit for one game is exceeded."""

    def __init__(self, game: int) -> None:
        super().__init__(f"Game {game} takes too long with this query; it was left out.")
        self.game = game


@dataclass(slots=True)
class PathState:
    """The state of a path that is being searched, or of a path that matched. `start` is the position where
    the path starts, and `count` is the number of moves made so far. `last` is the last position of the best
    path so far. `focused` holds the men in focus: bit i stands for the man with identity i. If `focused` is
    None, the moves of all men count."""

    start: int
    count: int
    last: int | None
    focused: int | None


@dataclass(frozen=True, slots=True)
class Way:
    """The course of a `path` or `line`. `passed` holds pairs of a node and a position, one pair for each
    constituent that matched. For a dash, the position is the position after the move. For any other
    constituent, the position is the position where the constituent held. `failed` holds the node of the
    constituent that stopped the search, and the position where this constituent was tried."""

    passed: tuple[tuple[object, int], ...]
    failed: tuple[object, int] | None


@dataclass(slots=True)
class Witness:
    """The element (a square or a man) that decides the result of a `square` or `piece` loop. Without `all`,
    the witness is the first element that makes the body hold. With `all`, the witness is the first element
    that makes the body fail. `held` is True if the body held. `square` is the square of the element.

    `variables` and `banned` are copies of `Evaluation.variables` and `Evaluation.banned`, made before the
    body was tested. `inner` holds the witnesses of the loops inside the body.
    """

    name: str
    square: int
    held: bool
    variables: list[Any]
    banned: dict[object, set[int]]
    inner: Witnesses


Witnesses: TypeAlias = dict[tuple[int, int], Witness]
"""Witnesses by key. A key is a pair: the `id` of the loop's node, and the position."""


class Log(list[tuple[int, str]]):
    """A comment log. `weight` is the total length of the comments, plus `PER_ENTRY` for each comment. Only
    `append`, `extend` and `cut` update `weight`."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = 0

    def append(self, note: tuple[int, str]) -> None:
        self.weight += len(note[1]) + PER_ENTRY
        super().append(note)

    def extend(self, notes: Iterable[tuple[int, str]]) -> None:
        for note in notes:
            self.append(note)

    def cut(self, start: int, end: int | None = None) -> None:
        """Remove comments."""
        taken = slice(start, end)
        self.weight -= weight_of(self[taken])
        del self[taken]


class WholeLog(Log):
    """A comment log that keeps every comment in `written`, even if a failing filter removes the comment."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[tuple[int, str]] = []

    def append(self, note: tuple[int, str]) -> None:
        self.written.append(note)
        super().append(note)

    def cut(self, start: int, end: int | None = None) -> None:
        # The comments stay in `written`, so `weight` does not change.
        del self[start:end]


def weight_of(comments: Iterable[tuple[int, str]]) -> int:
    """The total length of comments, plus `PER_ENTRY` for each comment."""
    return sum([len(text) + PER_ENTRY for _, text in comments])


class Evaluation:
    """One game under evaluation. `men[m]` is the bitboard of the men with code m in the current position.
    `men[13]` to `men[15]` are the bitboards of the white men, the black men and all men."""

    __slots__ = (
        "_attacks",
        "_deadline",
        "_ends",
        "_wide",
        "asides",
        "banned",
        "best",
        "cut",
        "explicit_comments",
        "found",
        "groups",
        "host",
        "id",
        "journal",
        "last_game",
        "last_path",
        "line_start",
        "log",
        "memo",
        "men",
        "messages",
        "only_child",
        "path",
        "patience",
        "position",
        "positions",
        "quiet_comments",
        "rehearsal",
        "removed",
        "sort_comments",
        "spent",
        "tags",
        "tree",
        "variables",
        "ways",
        "witnesses",
        "work",
    )

    def __init__(
        self,
        game_tree: tree.GameTree,
        host: hosts.Host,
        *,
        variables: int,
        sort_keys: int,
        automatic_comments: bool,
        explicit_comments: bool,
        deadline: Callable[[], bool] | None = None,
        smart_comments: bool = True,
        sort_comments: bool = True,
        last_game: int | None = None,
        sparse: bool = False,
    ) -> None:
        """`last_game` is the highest game number that the header admits, or None if the header sets no limit.
        With `sparse`, the board of a position is computed only when the board is needed."""
        self.tree = game_tree
        self.host = host
        self.positions: list[position.Position] | tree.Positions = (
            tree.Positions(game_tree) if sparse else game_tree.positions
        )
        self.variables: list[Any] = [UNBOUND] * variables
        self.best: list[int | str | None] = [None] * sort_keys
        # For each sort key, `asides` holds the comments that belong to the best value so far. These comments
        # are added to the log at the end of the game (output spec 3.4).
        self.asides: list[tuple[tuple[int, str], ...]] = [()] * sort_keys
        self.sort_comments = sort_comments
        self.log = Log() if smart_comments else WholeLog()
        # `spent` counts the characters of the data that are kept outside the log, such as messages. The limit
        # `MOST_KEPT` applies to the sum of `spent` and the weight of the log.
        self.spent = 0
        self.found: list[tuple[int, int, int]] = []
        self.path: PathState | None = None
        """The innermost path that is being searched."""
        self.last_path: PathState | None = None
        """The path that matched last in this game."""
        self.line_start = 0
        """The start position of the innermost `line` that is being searched."""
        self.ways: dict[tuple[int, int], Way] | None = None
        """The last `Way` found for each path or line, or None if no `Way` is to be recorded. A key is a pair:
        the `id` of the node, and the start position."""
        self.witnesses: Witnesses | None = None
        """The witnesses of the loops inside the innermost running loop, or None if no witness is to be
        recorded."""
        self.banned: dict[object, set[int]] = {}
        """For each filter with `nestban`, the positions where the filter can no longer match in this game."""
        # Messages, tag changes and removals of comments are kept, even if an enclosing filter fails later
        # (output spec 3.4).
        self.messages: list[str] = []
        self.tags: dict[str, str] = {}
        self.removed: set[int] = set()
        self.quiet_comments = not automatic_comments
        self.explicit_comments = explicit_comments
        self.memo: dict[Any, Any] = {}
        # `cut` is set while the target of a dash is evaluated. `cut` holds the position after the move, and
        # the values of `from` and `to` at this position (spec 8.6, 9.4).
        self.cut: tuple[int, int, int] | None = None
        # `only_child` is the child that a `line` tries as its next position. The `move` filters of the
        # current constituent test only the move to this child. -1 means any child, `NO_CHILD` means no child.
        self.only_child = -1
        # `groups` is the match of the last search by a regular expression, or None if this search failed.
        self.groups: Any = None
        # `journal` holds the old values of changed dictionary entries, the newest change last. `journal` is
        # None if changes are never undone.
        self.journal: list[tuple[dict[Any, Any], Any, Any]] | None = None
        # `rehearsal` is True while `rings.quietly` runs a closure. During this time, nothing outside the
        # evaluation may be changed.
        self.rehearsal = False
        self.work = _POLL_EVERY
        self._deadline = deadline
        self.patience = SECONDS
        """Seconds that one search of a regular expression may take."""
        self.last_game = last_game
        self._wide: list[list[int] | None] = [None] * len(game_tree)
        self._ends: list[int] | None = None
        self._attacks: dict[int, dict[int, int]] = {}
        self.goto(0)

    def goto(self, positionid: int) -> None:
        """Make a position the current position. The bitboards of a position are computed on the first
        visit."""
        self.id = positionid
        self.position: position.Position = self.positions[positionid]
        wide = self._wide[positionid]
        if wide is None:
            men = self.position.men
            white = men[1] | men[2] | men[3] | men[4] | men[5] | men[6]
            black = men[7] | men[8] | men[9] | men[10] | men[11] | men[12]
            wide = self._wide[positionid] = [*men[:13], white, black, white | black]
        self.men = wide

    def step(self) -> None:
        """Count one unit of work; raises `TooSlow` if the time for the game is used up."""
        self.work -= 1
        if self.work < 0:
            self.work = _POLL_EVERY
            self.charge(0)
            if self._deadline is not None and self._deadline():
                raise TooSlow(self.host.gamenumber)

    def rollback(self, comments: int, matches: int) -> None:
        """Shorten the comment log to `comments` entries, and the list of orbit matches to `matches`
        entries."""
        if len(self.log) > comments:
            self.log.cut(comments)
        del self.found[matches:]

    def charge(self, characters: int, span: Span | None = None) -> None:
        """Count characters that are kept until the game ends; raises a fault if too many characters are
        kept."""
        self.spent += characters
        if self.spent + self.log.weight > MOST_KEPT:
            raise self.fault(
                f"The comments, messages and dictionaries of the query grew beyond {MOST_KEPT:,} characters"
                " in this game",
                span,
            )

    def say(self, text: str, span: Span | None = None) -> None:
        """Record a message for the user. After `MAX_MESSAGES` messages of a game, one more message announces
        that all further messages are omitted."""
        if len(self.messages) < MAX_MESSAGES:
            self.charge(len(text) + PER_ENTRY, span)
            self.messages.append(text)
        elif len(self.messages) == MAX_MESSAGES:
            number = self.host.gamenumber
            self.messages.append(f"Game {number}: more than {MAX_MESSAGES} messages; the rest is left out.")

    def undo(self, entries: int) -> None:
        """Undo the newest changes of dictionary entries until the journal holds only `entries` changes."""
        assert self.journal is not None
        while len(self.journal) > entries:
            dictionary, key, old = self.journal.pop()
            if old is UNBOUND:
                dictionary.pop(key, None)
            else:
                dictionary[key] = old

    def fault(
        self, message: str, span: Span | None = None, variable: str = "", *, stops: bool = False
    ) -> QueryError:
        """Make a `QueryError` at the current game and position."""
        return QueryError(
            message,
            game=self.host.gamenumber,
            positionid=self.id,
            span=span,
            variable=variable,
            stops=stops,
        )

    # -- facts about positions, remembered per game

    def attack_set(self, square: int) -> Bitboard:
        """Squares that the man on `square` attacks in the current position."""
        known = self._attacks.get(self.id)
        if known is None:
            known = self._attacks[self.id] = {}
        found = known.get(square)
        if found is None:
            found = known[square] = attacks.attacks_from(
                self.position.squares[square], square, self.men[OCCUPIED]
            )
        return found

    def in_check(self) -> bool:
        """Whether the side to move is in check."""
        return self._fact("check", position.in_check)

    def is_mate(self) -> bool:
        """Whether the side to move is mated."""
        return self._fact("mate", legality.is_mate)

    def is_stalemate(self) -> bool:
        """Whether the side to move is stalemated. The result depends only on the position. Moves that follow
        in the game do not matter (D6)."""
        return self._fact("stalemate", legality.is_stalemate)

    def _fact(self, name: str, decide: Callable[[position.Position], bool]) -> bool:
        key = (name, self.id)
        answer: bool | None = self.memo.get(key)
        if answer is None:
            answer = self.memo[key] = decide(self.position)
        return answer

    def subtree_end(self, positionid: int) -> int:
        """The positionid that follows the last descendant of a position. The positionids of a position and
        its descendants are consecutive."""
        if self._ends is None:
            ends = list(range(1, len(self.tree) + 1))
            parents = self.tree.parents
            for child in range(len(ends) - 1, 0, -1):
                parent = parents[child]
                if ends[child] > ends[parent]:
                    ends[parent] = ends[child]
            self._ends = ends
        return self._ends[positionid]

    def square_of(self, identity: int) -> Bitboard:
        """A set with the square of a man in the current position. If the man was captured, the set is
        empty."""
        square = self.tree.men_board(self.id).find(identity) if identity < tree.NOBODY else -1
        return 1 << square if square >= 0 else 0

    def identity(self, square: int) -> int:
        """The piece identity (spec 1.1) of the man on an occupied square of the current position."""
        return self.tree.men_board(self.id)[square]

    def movenumber(self) -> int:
        """The full-move number. The root counts as move 1, whichever side is to move (D24)."""
        return self.tree.movenumber(self.id)

    def position_text(self, positionid: int) -> str:
        """The text of a position, as in `move 12(wtm)`. If the position is in a variation, the positionid
        follows in brackets."""
        here = self.id
        self.goto(positionid)
        side = "wtm" if self.position.turn == 0 else "btm"
        text = f"move {self.movenumber()}({side})"
        self.goto(here)
        return f"{text}[{positionid}]" if self.tree.depths[positionid] else text
