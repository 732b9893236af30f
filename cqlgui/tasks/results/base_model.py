"""The results of tasks about bases: sources, games, reports of imports."""

from __future__ import annotations

from pathlib import Path

from cqlgui.base.data import dataclass, field
from cqlgui.board import tree


@dataclass(frozen=True, slots=True)
class BadGame:
    """A game that could not be read whole. The game still has an ordinal in the base."""

    game: int
    source: Path
    offset: int
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """One PGN file of a base. `first` is the base ordinal (from 1) of the file's first game. `digest`
    identifies the text that was indexed (`store.index.Identity`). An empty digest accepts any text. If only
    the games were imported that pass a filter (`db.sifting`), `only` is this filter; the other games of the
    file have no ordinals."""

    path: Path
    first: int
    games: int
    id: int = 0
    positions: int = 0
    complete: bool = True
    digest: str = ""
    only: str = ""
    place: tuple[str, int] | None = None
    """For a source of a published base: where the base stands, and the number of the source in it. `path` is
    then the path where the base was published."""


@dataclass(frozen=True, slots=True)
class Base:
    """An opened, ordered list of sources. Ordinals count the games of all sources from 1. `id` is the number
    that the catalog gives the base."""

    id: int
    name: str
    sources: tuple[Source, ...]
    games: int
    positions: int
    complete: bool

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths that open this base again."""
        places = dict.fromkeys(Path(source.place[0]) for source in self.sources if source.place is not None)
        return tuple(places) or tuple(source.path for source in self.sources)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The outcome of an import. `reused` counts the games that were indexed before. `messages` are sentences
    for the user. `unreadable` are the sources that were left out. `damaged` are the sources that are open
    only in part. Each unreadable or damaged source has a message."""

    base: Base
    games: int
    positions: int
    reused: int
    bad_games: tuple[BadGame, ...]
    seconds: float
    cancelled: bool = False
    messages: tuple[str, ...] = ()
    unreadable: tuple[Path, ...] = ()
    damaged: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class BaseInfo:
    """Counts over a base, its first and last date, and the size of its index on disk in bytes."""

    base: Base
    players: int
    events: int
    first_date: str
    last_date: str
    results: dict[str, int] = field(repr=False)
    bad_games: int
    index_bytes: int


@dataclass(frozen=True, slots=True)
class GameRow:
    """Headers of one game, for tables. Unknown numbers are None, and unknown texts are empty."""

    game: int
    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    result: str
    date: str
    event: str
    site: str
    round: str
    eco: str
    plies: int
    bad: bool
    opening: str = ""
    """The name of the opening: from the game's tags, else from its ECO code."""
    more: str = ""
    """The other tags as JSON; empty if there are none."""


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game for the board: tree, texts and glyphs by positionid. `raw` is the game's text in the source."""

    game: int
    row: GameRow
    tags: tuple[tuple[str, str], ...]
    tree: tree.GameTree
    comments: dict[int, str]
    before: dict[int, str]
    nags: dict[int, tuple[int, ...]]
    problems: tuple[BadGame, ...]
    raw: bytes
    playable: bool
    note: str = ""
