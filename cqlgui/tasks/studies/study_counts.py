"""The numbers of a study: what one query finds in one base, as a whole and by groups of games.

The numbers are plain data, and a file keeps them, so that a study that was stopped can go on (`Kept`).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

import cqlgui
from cqlgui.base import arrays
from cqlgui.base.data import dataclass, named
from cqlgui.base.files import disk, folders
from cqlgui.board import tree
from cqlgui.db import headers
from cqlgui.engine.kernels import listing
from cqlgui.tasks.analysis import frames
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.databases import sources, workspace
from cqlgui.tasks.judging import judging
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.studies import study_text

ELO, YEARS = "elo", "years"
MOST_CP: Final = 1000
"""An evaluation counts as at most so many hundredths of a pawn in a mean, and so does a mate. Otherwise a few
won positions would decide the mean."""
UNKNOWN: Final = "unknown"
"""The band of the games without a rating or without a year."""
_VERSION: Final = 1
"""The form of the kept numbers."""


@dataclass(frozen=True, slots=True)
class Count:
    """What a query found in some games of a base: in all games that were searched (`group` is empty), in a
    band of ratings (`group` is "elo") or in a period ("years"). `band` names the band or the period.

    `searched` are the games that were searched, `games` those that match, `positions` the matching positions.
    `first_ply` is the median of the plies of the first hits. `points` are White's points in the `decided`
    matching games, which are those with a known result.

    The other numbers are about the first hits of the games, if they were judged. Tables know `tabled` of
    them: White has won `won` of them and lost `lost` of them. The other ones are `drawn`, also those where
    only the 50-move rule saves a side. An engine evaluated `evaluated` of them. The sum of its evaluations
    from White's view is `centipawns`, each at most `MOST_CP`.
    """

    group: str
    band: str
    searched: int
    games: int
    positions: int
    first_ply: float | None
    points: float
    decided: int
    tabled: int = 0
    won: int = 0
    lost: int = 0
    evaluated: int = 0
    centipawns: float = 0.0

    @property
    def drawn(self) -> int:
        """The number of first hits that are drawn according to the tables."""
        return self.tabled - self.won - self.lost

    @property
    def evaluation(self) -> float | None:
        """The mean evaluation in hundredths of a pawn."""
        return self.centipawns / self.evaluated if self.evaluated else None

    @property
    def share(self) -> float | None:
        """The matching games as a share of the searched games, from 0 to 1."""
        return self.games / self.searched if self.searched else None

    @property
    def halfmoves(self) -> float | None:
        """The mean number of matching positions in a matching game."""
        return self.positions / self.games if self.games else None

    @property
    def score(self) -> float | None:
        """White's share of the points, from 0 to 1."""
        return self.points / self.decided if self.decided else None


@dataclass(frozen=True, slots=True)
class Sample:
    """An example: the first hit of a game. `game` is the number of the game in the base, `gamenumber` its
    number in its file, both from 1."""

    file: str
    game: int
    gamenumber: int
    white: str
    black: str
    result: str
    year: int | None
    ply: int
    positionid: int
    fen: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a query found in a base."""

    counts: tuple[Count, ...]
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """The games that match, with numbers for each: the matching positions, the ply of the first hit (-1 if it
    is unknown), and what the judges say of the first hit from White's view (NaN if nothing): `tables` has 1,
    0, -1, `evaluations` has hundredths of a pawn."""

    games: Integers
    sizes: Integers
    plies: Integers
    tables: np.ndarray
    evaluations: np.ndarray

    def chosen(self, chosen: np.ndarray) -> Matched:
        """Some of the games."""
        return Matched(
            self.games[chosen],
            self.sizes[chosen],
            self.plies[chosen],
            self.tables[chosen],
            self.evaluations[chosen],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts about the games of a base; the index into each array is the game's ordinal."""

    scores: np.ndarray
    """1 for a win of White, 0.5, 0; NaN for an unknown result."""
    ratings: Integers
    """The mean rating of the players whose rating is known, without a fraction; 0 if none is."""
    years: Integers
    """0 for an unknown year."""


_SCORES: Final = (2, 1, 0, -1)
"""The score of each of `headers.RESULTS`, in half points; -1 for none."""


def facts(base: base_model.Base) -> Facts:
    """The facts about the games of a base."""
    catalog = workspace.catalog()
    scores, ratings, years = (np.zeros(base.games + 1, np.int64) for _ in range(3))
    scores[:] = -1
    for source in base.sources:
        here = slice(source.first, source.first + source.games)
        coded = catalog.coded(source.id, "result", lambda text: _SCORES[headers.outcome(text)], source.games)
        scores[here] = coded[: source.games]
        years[here] = catalog.coded(source.id, "date", _year, source.games)[: source.games]
        white, black = (catalog.numbers(source.id, name, source.games) for name in ("white_elo", "black_elo"))
        known = np.maximum((white > 0).astype(np.int64) + (black > 0), 1)
        ratings[here] = ((white + black) // known)[: source.games]
    return Facts(np.where(scores < 0, np.nan, scores / 2), ratings, years)


def _year(date: str) -> int:
    return int(date[:4]) if date[:4].isascii() and date[:4].isdecimal() and len(date) >= 4 else 0


def found(
    base: base_model.Base,
    known: Facts,
    result: search_model.SearchResult,
    within: Integers,
    study: study_text.Study,
    judges: judging.Judges | None = None,
) -> Found:
    """The numbers of a result, and its examples. `within` are the games that were searched. Raises
    `errors.SourceError` for a base that can no longer be read, and with `judges` what they raise."""
    games, begins, ends = result.games.bounds
    sizes = ends - begins
    having = sizes > 0
    hits = result.games.columns.hits[begins[having]]
    plies = np.full(len(games), -1, np.int64)
    plies[having] = _plies(base, hits) if result.variations else hits & found_module.PLACE_MASK
    tables, evaluations = np.full(len(games), np.nan), np.full(len(games), np.nan)
    if judges is not None:
        tables[having], evaluations[having] = _judged(base, hits, judges, variations=result.variations)
    matched = Matched(games, sizes, plies, tables, evaluations)
    counts = [_count("", "", len(within), known, matched)]
    for group, width, values in (
        (ELO, study.elo, known.ratings),
        (YEARS, study.years, known.years),
    ):
        if width is not None:
            counts += _grouped(group, width, values, within, known, matched)
    return Found(tuple(counts), tuple(_samples(base, result, hits, study)))


def _grouped(
    group: str,
    width: int,
    values: Integers,
    within: Integers,
    known: Facts,
    matched: Matched,
) -> Iterator[Count]:
    """The numbers of each band, the unknown last. The first band begins at 0."""
    bands = np.where(values > 0, values // width, np.iinfo(np.int64).max)
    listed, of_games = arrays.ranked(bands[within])
    searched = np.bincount(of_games, minlength=len(listed))
    of_matches = bands[matched.games]
    for band, size in zip(listed.tolist(), searched.tolist(), strict=True):
        chosen = of_matches == band
        first = band * width
        name = UNKNOWN if band == np.iinfo(np.int64).max else f"{first}-{first + width - 1}"
        yield _count(group, name, size, known, matched.chosen(chosen))


def _count(group: str, band: str, searched: int, known: Facts, matched: Matched) -> Count:
    scores = known.scores[matched.games]
    scores = scores[~np.isnan(scores)]
    plies = matched.plies[matched.plies >= 0]
    evaluations = matched.evaluations[~np.isnan(matched.evaluations)]
    return Count(
        group=group,
        band=band,
        searched=searched,
        games=len(matched.games),
        positions=int(matched.sizes.sum()),
        first_ply=float(np.median(plies)) if len(plies) else None,
        points=float(scores.sum()),
        decided=len(scores),
        tabled=int((~np.isnan(matched.tables)).sum()),
        won=int((matched.tables == 1).sum()),
        lost=int((matched.tables == -1).sum()),
        evaluated=len(evaluations),
        centipawns=float(evaluations.sum()),
    )


def _judged(
    base: base_model.Base, hits: Integers, judges: judging.Judges, *, variations: bool
) -> tuple[np.ndarray, np.ndarray]:
    """What the judges say of some hits, one in a game: `tables` and `evaluations` of `Matched`."""
    judges.expect(len(hits))
    columns = found_module.Columns(hits, found_module.no_ends(len(hits)), np.zeros(0, np.int32))
    tables, evaluations = np.full(len(hits), np.nan), np.full(len(hits), np.nan)
    for part in frames.parts(base, columns):
        nought = np.zeros(len(part.asked), np.int64)
        listed = listing.positions(part.asked, part.hits, nought, nought, variations=variations)
        fens = [texts[0] for texts in listed.texts()]
        # A position that cannot be laid out has no text.
        known = [place for place, fen in enumerate(fens) if fen]
        for begin in range(0, len(known), _JUDGED):
            some = known[begin : begin + _JUDGED]
            for place, one in zip(some, judges.of([fens[place] for place in some]), strict=True):
                sign = 1 if fens[place].split(" ")[1] == "w" else -1
                if one.wdl is not None:
                    # A win that the 50-move rule takes away is a draw.
                    tables[part.begin + place] = sign * (abs(one.wdl) == 2) * np.sign(one.wdl)
                value = one.eval_cp if one.mate is None else MOST_CP if one.mate > 0 else -MOST_CP
                if value is not None:
                    evaluations[part.begin + place] = sign * max(-MOST_CP, min(value, MOST_CP))
    return tables, evaluations


_JUDGED: Final = 200
"""Number of positions that are judged together."""


def _plies(base: base_model.Base, hits: Integers) -> Integers:
    """The plies of some hits, one in a game. In a search with variations, a positionid is not a ply."""
    columns = found_module.Columns(hits, found_module.no_ends(len(hits)), np.zeros(0, np.int32))
    plies = np.zeros(len(hits), np.int64)
    for part in frames.parts(base, columns):
        nought = np.zeros(len(part.asked), np.int64)
        listed = listing.positions(part.asked, part.hits, nought, nought, variations=True)
        plies[part.begin : part.end] = listed.plies
    return plies


def _samples(
    base: base_model.Base, result: search_model.SearchResult, hits: Integers, study: study_text.Study
) -> Iterator[Sample]:
    """Examples that are spread over the hits. `hits` has the first hit of each game. The games are divided
    into as many parts as examples are wanted, and a game is chosen in each part. The choice depends on the
    query, the games and the seed alone."""
    wanted = min(study.samples, len(hits))
    for number in range(wanted):
        begin, end = number * len(hits) // wanted, (number + 1) * len(hits) // wanted
        words = json.dumps([study.seed, number, result.query, [one.digest for one in base.sources]])
        drawn = int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")
        yield _sample(base, int(hits[begin + drawn % (end - begin)]))


def _sample(base: base_model.Base, hit: int) -> Sample:
    game, place = hit >> found_module.GAME_SHIFT, hit & found_module.PLACE_MASK
    source, ordinal = sources.of_game(base, game)
    with sources.indexed(source) as opened:
        played = tree.GameTree.decode(opened.start_fen(ordinal), opened.moves(ordinal))
    (row,) = games_module.rows(base, [game])
    return Sample(
        file=str(source.path),
        game=game,
        gamenumber=ordinal + 1,
        white=row.white,
        black=row.black,
        result=row.result,
        year=_year(row.date) or None,
        ply=played.plies[place],
        positionid=place,
        fen=played.positions[place].fen(),
    )


# --- kept numbers -------------------------------------------------------------------------------------------


def key(
    study: study_text.Study, question: study_text.Question, base: base_model.Base, judges: str = ""
) -> str:
    """Names what a query finds in a base. Another query, other games, other groups, other `judges`
    (`judging.Judges.name`) or another version of the program have another name."""
    facts_of = [
        _VERSION,
        cqlgui.__version__,
        question.text,
        question.games,
        question.variations,
        [study.elo, study.years, study.samples, study.seed],
        [[str(one.path), one.first, one.games, one.digest] for one in base.sources],
        judges,
    ]
    return hashlib.sha256(json.dumps(facts_of).encode()).hexdigest()


class Kept:
    """The numbers of a study that are done, in a file of the cache folder. The file is replaced as a whole. A
    file that is missing or damaged keeps nothing."""

    def __init__(self, study: study_text.Study, *, resume: bool) -> None:
        name = hashlib.sha256(str(study.path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self.path: Final = folders.cache() / "studies" / f"{name}.json"
        self._before: dict[str, Found] = dict(_read(self.path))
        self._done: dict[str, Found] = self._before if resume else {}
        self._used: dict[str, Found] = {}
        self._fresh = False

    @property
    def known(self) -> int:
        """The number of searches whose numbers are known from an earlier run."""
        return len(self._done)

    def get(self, name: str) -> Found | None:
        """What is known under a name of `key`."""
        known = self._done.get(name)
        if known is not None:
            self._used[name] = known
        return known

    def put(self, name: str, one: Found) -> None:
        """Keep the numbers until `write`."""
        self._used[name] = one
        self._fresh = True

    def write(self, *, finished: bool = False) -> None:
        """Write what is new. If the study is `finished`, only `_MOST_UNUSED` numbers that it did not use
        stay, those that were written last. Raises `OSError`."""
        if not self._fresh:
            return
        unused = [name for name in self._before if name not in self._used]
        stay = unused[-_MOST_UNUSED:] if finished else unused
        listed = {**{name: self._before[name] for name in stay}, **self._used}
        folders.make(self.path.parent)
        made = {"version": _VERSION, "done": {name: _plain(one) for name, one in listed.items()}}
        disk.replace_file(self.path, json.dumps(made, ensure_ascii=True).encode(), private=True)
        self._fresh = False


_MOST_UNUSED: Final = 1_000
"""An earlier state of a study, or a run over other bases, may have had at most so many other searches."""


def _plain(one: Found) -> dict[str, list[dict[str, Any]]]:
    return {"counts": [named(row) for row in one.counts], "samples": [named(row) for row in one.samples]}


def _read(path: Path) -> Iterator[tuple[str, Found]]:
    try:
        whole = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return
    if not isinstance(whole, dict) or whole.get("version") != _VERSION:
        return
    done = whole.get("done")
    for name, one in done.items() if isinstance(done, dict) else ():
        try:
            yield name, _restored(one)
        except (TypeError, KeyError, ValueError):
            continue


def _restored(one: Mapping[str, Any]) -> Found:
    """The numbers from plain data. Raises `TypeError`, `KeyError` or `ValueError` for other data."""
    counts = tuple(Count(**row) for row in one["counts"])
    samples = tuple(Sample(**row) for row in one["samples"])
    for row in counts:
        numbers = (
            *(row.searched, row.games, row.positions, row.points, row.decided, row.first_ply or 0.0),
            *(row.tabled, row.won, row.lost, row.evaluated, row.centipawns),
        )
        if not all(isinstance(number, int | float) for number in numbers):
            raise TypeError(numbers)
        if not all(0 <= number < math.inf for number in numbers[:-1]) or row.games > row.searched:
            raise ValueError(numbers)
        if not isinstance(row.group, str) or not isinstance(row.band, str):
            raise TypeError(row.band)
    for sample in samples:
        if not all(isinstance(text, str) for text in (sample.file, sample.fen, sample.white, sample.black)):
            raise TypeError(sample.file)
    if not counts:
        raise ValueError("no counts")
    return Found(counts, samples)
