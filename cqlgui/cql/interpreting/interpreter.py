"""The reference interpreter: a query is compiled once and then run over one game after another.

The interpreter evaluates every filter directly, without optimisations. The results of explanations and of the
engine are compared with the results of the interpreter. Each game is passed as a `board.tree.GameTree`. All
other data about the game come from a `host.Host`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cqlgui.base.data import dataclass
from cqlgui.board import tree
from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting import ordering, rings
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.interpreting.expressions.closures import SortSpec
from cqlgui.cql.interpreting.runtime import evaluation, game_log, memory, settings, values
from cqlgui.cql.interpreting.runtime import host as hosts
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation, QueryError, TooSlow, WholeLog
from cqlgui.cql.transforming import transforms

__all__ = ["GameOutcome", "Hit", "Program", "QueryError", "SortSpec", "TooSlow"]

VALUED = frozenset({Type.SET, Type.PIECE, Type.NUMERIC, Type.STRING})
"""The value of the query's body is shown for each hit if the body has one of these types."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching position. `value` is the value of the query's body as text, or None if the body has no value
    to show.

    A transform replaces a filter by an *orbit*: a list of variants, called elements. `orbit` holds the
    elements that matched, in canonical order. Each entry is a tuple: the index of the outermost orbit, the
    index of the element, the positionid where the element matched, and the element's squares. `squares` is
    the bitboard of the squares that are ringed on the board. With transforms, `squares` contains the squares
    that the primary elements matched at this position (see `rings.Rings.squares`). Without transforms,
    `squares` contains the squares that the query matched at this position.
    """

    positionid: int
    value: str | None
    orbit: tuple[tuple[int, int, int, int], ...]
    squares: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A persistent variable at the end of a search. `value` is the number or string in the variable. If the
    variable holds a set, `value` is the text of the set. `text` is the printed form of `value`."""

    name: str
    value: int | str
    text: str


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """The result for a matching game. `log` has the comments that the query writes, and `unique` says whether
    equal comments at a position are written once (`game_log`). `sort_keys` holds one value for each entry of
    `Program.sort_specs`. `tags` holds the tags to be set. `removed` holds the positions where the file's
    comment is to be removed, in ascending order."""

    hits: tuple[Hit, ...]
    log: tuple[game_log.Entry, ...]
    sort_keys: tuple[int | str | None, ...]
    tags: tuple[tuple[str, str], ...] = ()
    removed: tuple[int, ...] = ()
    unique: bool = True

    @property
    def comments(self) -> tuple[game_log.Note, ...]:
        """The comments in the order of writing: pairs of positionid and text."""
        return game_log.comments(self.log, self.unique)


class Program:
    """A compiled query.

    `Program` uses only those settings in `writing` that change what the query writes. The caller must already
    have applied all settings that override the header (see `settings.override`).
    """

    def __init__(self, expanded: transforms.Expanded, writing: settings.Settings = settings.USUAL) -> None:
        query = expanded.query
        if query is None:
            raise ValueError("a query with errors cannot be compiled")
        # These modules are imported only when a `Program` is made. If the engine can evaluate all games of a
        # search, the interpreter is not used. In this case, importing the modules would only delay the
        # search.
        from cqlgui.cql.interpreting import compilers
        from cqlgui.cql.interpreting.expressions import closures_output

        self._header = query.header
        compiler = compilers.compiler(expanded.names)
        body = compiler.compile(query.body)
        self._body = body
        by_value = body.type in VALUED
        self._value_text = closures_output.value_text(body) if by_value else None
        self._rings = rings.Rings(compiler, query.body, expanded.orbits)
        self._own_keys = len(compiler.sort_specs)
        self._slots = len(compiler.slots)
        self._names = expanded.names
        self._places = dict(compiler.slots)
        self._persistent = dict(compiler.persistent)
        self._initial = {name: compiler.initial(name) for name in self._persistent}
        self._local = [name for name, local in compiler.dictionaries.items() if local]
        self._shared = [name for name, local in compiler.dictionaries.items() if not local]
        self.sequential = bool(self._persistent or self._shared or compiler.files)
        """Whether games must be searched one after another, and share one `Memory`."""
        header = self._header
        matchcount = (SortSpec("matchcount", True, False),) if header.sort_matchcount else ()
        self.sort_specs: tuple[SortSpec, ...] = (*compiler.sort_specs, *matchcount)
        """The sort keys, the most important first."""
        self._writing = writing
        self.match_string = settings.match_string(header)
        """The text written at every match; empty if no text is written."""

    def order(self, games: Sequence[tuple[int, Sequence[int | str | None]]]) -> list[int]:
        """The numbers of matching games in output order. `games` holds pairs (number, sort keys)."""
        return ordering.order(self.sort_specs, games)

    def empty_memory(self) -> memory.Memory:
        """The memory of the query before the first game."""
        return memory.Memory(dict(self._initial), {name: {} for name in self._shared})

    def kept(self, remembered: memory.Memory) -> tuple[Kept, ...]:
        """The persistent variables that are not quiet, in the order of the query text."""
        found = []
        for name, quiet in self._persistent.items():
            if quiet:
                continue
            value = remembered.variables[name]
            kind = self._names[name]
            if kind is Type.SET:
                value = values.set_text(value)
            found.append(Kept(name, value, f'"{value}"' if kind is Type.STRING else str(value)))
        return tuple(found)

    def run(
        self,
        game: tree.GameTree,
        host: hosts.Host,
        deadline: Callable[[], bool] | None = None,
        messages: list[str] | None = None,
        remembered: memory.Memory | None = None,
        places: Sequence[int] | None = None,
    ) -> GameOutcome | None:
        """Evaluate the query in one game. Returns None if the game does not match.

        `deadline` is called every few thousand steps. If `deadline` returns True, `TooSlow` is raised.
        `messages` receives all messages of the query, even if the game does not match or an error is raised.
        `remembered` is the memory after the earlier games. If no error is raised, the evaluation of this game
        updates the memory. If `remembered` is None, the query starts with an empty memory. `places` are the
        positions where the query is evaluated; positions that are not searched are passed over. If `places`
        is None, the query is evaluated at all positions.
        Raises `QueryError`.
        """
        header = self._header
        if not _admits(header, host):
            return None
        searched = game if header.variations else game.mainline()
        s = self.start(searched, host, deadline, remembered, sparse=places is not None)
        finished = False
        try:
            every = range(len(s.tree))
            searched_at = every if places is None else [one for one in places if one in every]
            matches, writers = self._search(s, searched_at)
            finished = True
        finally:
            if messages is not None:
                messages.extend(s.messages)
            if s.journal is not None and not finished:
                s.undo(0)
        if remembered is not None:
            for name in self._persistent:
                remembered.variables[name] = s.variables[self._places[name]]
        count = len(matches)
        if header.matchcount is not None:
            if not closures.constant_range(header.matchcount, count):
                return None
        elif not count:
            return None
        for aside in s.asides:
            s.spent -= evaluation.weight_of(aside)
            s.log.extend(aside)
        keys: tuple[int | str | None, ...] = tuple(s.best)
        if header.sort_matchcount:
            keys = (*keys, count)
        return GameOutcome(
            tuple(matches),
            self._log(s, writers, keys),
            keys,
            tuple(s.tags.items()) if self._writing.set_tags else (),
            tuple(sorted(s.removed)) if self._writing.remove_comments else (),
            self._writing.unique_comments,
        )

    def start(
        self,
        searched: tree.GameTree,
        host: hosts.Host,
        deadline: Callable[[], bool] | None = None,
        remembered: memory.Memory | None = None,
        *,
        sparse: bool = False,
    ) -> Evaluation:
        """A fresh evaluation at the root."""
        header = self._header
        s = Evaluation(
            searched,
            host,
            variables=self._slots,
            sort_keys=self._own_keys,
            automatic_comments=not (header.quiet or header.silent),
            explicit_comments=not header.silent,
            deadline=deadline,
            smart_comments=self._writing.smart_comments,
            sort_comments=self._writing.sort_comments,
            last_game=last_game(header),
            sparse=sparse,
        )
        before = self.empty_memory() if remembered is None else remembered
        for name in self._persistent:
            s.variables[self._places[name]] = before.variables[name]
        for name in self._local:
            s.variables[self._places[name]] = {}
        for name in self._shared:
            s.variables[self._places[name]] = before.dictionaries[name]
        if self._shared:
            s.journal = []
        return s

    def _search(self, s: Evaluation, places: Sequence[int]) -> tuple[list[Hit], list[int]]:
        """The hits at some positions, and the writer of each comment in the log (`game_log.Entry`)."""
        log = s.log.written if isinstance(s.log, WholeLog) else s.log
        writers: list[int] = []
        test, value, text = self._body.test, self._body.value, self._value_text
        match_string = self.match_string
        collects, apart = self._rings.collects, self._body.apart
        hits: list[Hit] = []
        for positionid in places:
            s.step()
            s.goto(positionid)
            # Comments of failing filters belong to no hit.
            writers += [game_log.GAME] * (len(log) - len(writers))
            if text is None:
                if not test(s):
                    continue
                shown = None
            elif apart:
                if not test(s):
                    continue
                found = rings.quietly(s, value)
                shown = None if found is None else text(s, found)
            else:
                found = value(s)
                if not found and (found is None or self._body.is_set):
                    continue
                shown = text(s, found)
            matches = tuple(sorted(set(s.found))) if s.found else ()
            s.found.clear()
            squares, each = self._rings.squares(s, matches) if collects else (0, [0] * len(matches))
            marked = tuple((*match, own) for match, own in zip(matches, each, strict=True))
            hits.append(Hit(positionid, shown, marked, squares))
            writers += [positionid] * (len(log) - len(writers))
            if match_string:
                s.log.append((positionid, match_string))
                writers.append(game_log.MARK)
        return hits, writers

    def _log(
        self, s: Evaluation, writers: list[int], keys: Sequence[int | str | None]
    ) -> tuple[game_log.Entry, ...]:
        """The log of a game, including the header comments (output spec 3.1, 3.2). `writers` has the writers
        of the first comments. The other comments belong to the whole game."""
        if self._header.silent:
            return ()
        notes = s.log.written if isinstance(s.log, WholeLog) else s.log
        log = game_log.entries(notes, writers + [game_log.GAME] * (len(notes) - len(writers)))
        if self._writing.header_comment:
            log.insert(0, (0, f"Game number {s.host.gamenumber}", game_log.NUMBER))
            for spec, key in zip(self.sort_specs, keys, strict=True):
                if not spec.quiet:
                    log.append((0, f"{spec.doc}: {'none' if key is None else key}", game_log.GAME))
        return game_log.finished(log, self._writing.unique_comments)


def last_game(header: nodes.Header) -> int | None:
    """The upper bound of the header's `gamenumber`."""
    if header.gamenumber is None or header.gamenumber.count:
        return None
    assert isinstance(header.gamenumber.high, int)
    return header.gamenumber.high


def _admits(header: nodes.Header, host: hosts.Host) -> bool:
    """Whether a game fulfils the conditions of the header (spec 3). If the header contains several results,
    the result of the game must equal all of them."""
    if header.gamenumber is not None and not closures.constant_range(header.gamenumber, host.gamenumber):
        return False
    return all(host.result == result for result in header.results)
