"""Writes the results of a search in each export format. A PGN has the text of the games byte for byte, or
with the matches marked. All other formats have the rows of `hit_table`."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from cqlgui.base import ahead, data, errors, priority
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass
from cqlgui.base.files import disk
from cqlgui.board import tree
from cqlgui.cql.interpreting.runtime import game_log
from cqlgui.engine.passes import orbit_pass
from cqlgui.pgn import kernel_places, writer
from cqlgui.store import index
from cqlgui.tasks.databases import files as files_module
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.databases import hosts, sources
from cqlgui.tasks.export import framing, hit_table, joining, match_notes, records
from cqlgui.tasks.export.formats import (
    anki_notes,
    arrow_files,
    csv_lines,
    epd_lines,
    gallery,
    hit_lines,
    latex_sheets,
    studies,
)
from cqlgui.tasks.export.match_notes import match_comments
from cqlgui.tasks.judging import judging
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results.found import GAME_SHIFT, FoundGames, first_hits, having
from cqlgui.tasks.search import hit_details, keeping

ENDINGS = (".pgn", ".epd", ".csv", ".jsonl", ".html", ".parquet", ".arrow", ".tex", ".tsv")
LARGE = 100_000
"""Pages with more diagrams are written only if `export` is told so. Browsers and LaTeX take minutes to open
them, or fail."""
_PAGES = (".html", ".tex")
JUDGED: Final = tuple(ending for ending in ENDINGS if ending != ".pgn")
"""The formats that can have what tablebases and engines say of the positions. A PGN has whole games."""
AS_PLAYED = "in the query's frame they are no legal games. A comment names their transform."
"""Part of a message. The message gives the reason why some games in a PGN are written as they were played,
although the user asked for the query's frame."""

_REPORT_EVERY = 50
_MOST_HITS: Final = 1 << 15
"""The comments of about this many hits are made together. Some steps with all these comments hold the
interpreter lock, for instance the measuring of their lengths. With more comments the window would stop."""


Arranged = Callable[[search_model.SearchResult], Iterator[list[dict[str, Any]]]]
"""Makes the rows of a table from a result whose hits have all their details, in an order of its own."""


_PIECES: Final = 8
"""Number of pieces of JSON Lines that may wait to be written."""
FORSAKEN_SECONDS: Final = 24 * 3600.0
"""An export removes what a killed export left behind in its folder, once it has not changed for this time."""


class TooLarge(errors.CqlguiError):  # a question rather than an error
    """A page would have more than `LARGE` diagrams. `export(..., large=True)` writes it all the same."""


class Existing(errors.CqlguiError):
    """A file exists, and may not be overwritten."""


def export(
    base: base_model.Base,
    result: search_model.SearchResult,
    path: Path,
    *,
    games: Sequence[int] | None = None,
    annotate: bool = False,
    element: tuple[int, int] | None = None,
    normalise: bool = False,
    rows: hit_table.Rows = hit_table.Rows.HITS,
    study: bool = False,
    large: bool = False,
    judges: judging.Judges | None = None,
    arranged: Arranged | None = None,
    allowed: Sequence[Path] = (),
    overwrite: bool = False,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> search_model.ExportReport:
    """Write the matching games in output order to `path`. The ending of `path` chooses the format
    (`ENDINGS`).

    With `annotate`, a PGN gets the comments and changed tags that the query writes. Comments that the query
    removes are left out. `games` restricts the export to the games with these ordinals. `element` is a pair
    (orbit, element). If the pair is given, only the hits of this orbit element are exported.

    With `normalise`, hits are written in the query's own frame: the transform of each hit is undone. If the
    continuation of a game's first hit is a legal game in this frame, a PGN has this continuation. If the
    continuation is not legal, the PGN has the game as it was played, with the matches marked.

    `rows` says what a row of a table is; a PGN has whole games in any case.

    With `study`, a PGN is written for import into studies of Lichess: with the matches marked, and with a
    name for each chapter. If there are more games than a study has chapters, several files are written
    (`studies.paths`). These files appear all or not at all.

    With `judges`, rows in a format of `JUDGED` also have the fields of the judges. What was judged is kept
    even if no file is written in the end. Raises `judgement.JudgeError` for a table or an engine that fails.
    The position that a row shows is judged. With `normalise` this is the position in the query's own frame,
    which may be worth something else than the position of the game, and which may be no legal position.

    With `arranged`, a table has the rows that this function makes of the games written, in their order
    (`sorted_rows.tables`). A PGN keeps the order of the games.

    Raises `TooLarge` if a page would have more than `LARGE` diagrams, unless `large` allows this.

    If the query named the path, the path must lie in an `allowed` folder at the time of writing. If the user
    named the path, `allowed` is empty. The user's path may lie anywhere and may be a link.

    The file appears whole or not at all. An existing file is replaced only with `overwrite`. Raises
    `errors.Cancelled`. Raises `CqlguiError` if the search reads the file, if the file exists and must not be
    overwritten, or if the file cannot be written. Also raises `CqlguiError` if, at the end, a source of the
    games written no longer holds the indexed text.
    """
    ending = checked_ending(path)
    token = cancel or progress_module.CancelToken()
    chosen = _chosen(result, games, element)
    files: tuple[Path, ...] = (path,)
    if study and ending == ".pgn":
        files = tuple(studies.paths(path, len(chosen)))
    for one in dict.fromkeys((path, *files)):
        keeping.refuse(base, result.query, result.options, one)
    if allowed and not keeping.within(path, allowed):
        raise errors.CqlguiError(f"{path} does not lie in a folder that queries may write.")
    for one in files:
        _refuse_existing(one, overwrite)
    disk.sweep(path.parent, idle=FORSAKEN_SECONDS)
    diagrams = len(chosen) if rows is hit_table.Rows.GAMES else sum(chosen.values())
    if ending in _PAGES and diagrams > LARGE and not large:
        raise TooLarge(
            f"{path.name} would have {diagrams:,} diagrams. More than {LARGE:,} take minutes to "
            "open or to set."
        )
    job = _Job(
        base,
        result,
        chosen,
        element,
        annotate,
        normalise,
        rows,
        ending,
        token,
        progress,
    )
    job.arranged = arranged
    if judges is not None and ending in JUDGED:
        job.judges = judges
        expected = {
            hit_table.Rows.HITS: sum(chosen.values()),
            hit_table.Rows.SPANS: None,
            hit_table.Rows.GAMES: len(chosen),
        }
        judges.expect(expected[rows])
    writers: dict[str, Callable[[BinaryIO], None]] = {
        ".pgn": job.pgn,
        ".epd": job.epd,
        ".csv": job.csv,
        ".jsonl": job.jsonl,
        ".html": job.html,
        arrow_files.PARQUET: job.arrow,
        arrow_files.ARROW: job.arrow,
        ".tex": job.tex,
        ".tsv": job.anki,
    }
    try:
        if study and ending == ".pgn":
            with sources.Readers(base) as job.readers:
                job.study(files, follow=not allowed, overwrite=overwrite)
            return search_model.ExportReport(files[0], job.games, job.hits, job.as_played, files)
        with (
            sources.Readers(base) as job.readers,
            disk.replacing(path, follow=not allowed, overwrite=overwrite) as file,
        ):
            job.check()
            writers[ending](file)
            # Workers have read the sources too. If the sources are still unchanged, the workers' answers fit
            # the text.
            job.check()
    except OSError as error:
        named = error.filename if len(files) > 1 else path
        raise errors.CqlguiError(f"{named} cannot be written: {error.strerror or error}.") from error
    shape = "" if ending == ".pgn" else rows.value
    return search_model.ExportReport(path, job.games, job.hits, job.as_played, files, shape)


def write_parquet(
    base: base_model.Base,
    result: search_model.SearchResult,
    file: BinaryIO,
    *,
    normalise: bool = False,
    rows: hit_table.Rows = hit_table.Rows.HITS,
    notes: Mapping[str, str] | None = None,
    cancel: progress_module.CancelToken | None = None,
) -> None:
    """Write the rows of a result to an open file, as `export` does for a path that ends with `.parquet`.
    The footer of the file has the `notes` (`arrow_files.notes_of`). Raises `errors.Cancelled`, and
    `CqlguiError` if pyarrow is not installed, or if a source of the rows no longer holds the indexed
    text."""
    token = cancel or progress_module.CancelToken()
    chosen = _chosen(result, None, None)
    ending = arrow_files.PARQUET
    job = _Job(base, result, chosen, None, False, normalise, rows, ending, token, progress_module.ignore)
    with sources.Readers(base) as job.readers:
        job.check()
        job.arrow(file, notes)
        job.check()


def export_games(
    base: base_model.Base,
    games: Sequence[int],
    path: Path,
    *,
    overwrite: bool = False,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> None:
    """Write some games of a base to a PGN, in the order of `games`, byte for byte as in their sources.

    The file appears whole or not at all. Raises `errors.Cancelled`. Raises `CqlguiError` if the ending is not
    `.pgn`, if `path` is a source of the base, if it exists and must not be overwritten, or if it cannot be
    written. Also raises `CqlguiError` if a source of the games no longer holds the indexed text.
    """
    if path.suffix.lower() != ".pgn":
        raise errors.CqlguiError(f"{path.name}: the ending must be .pgn.")
    what = files_module.reason(path, keeping.sources(base))
    if what:
        raise errors.CqlguiError(f"{path} {what} and is not overwritten.")
    _refuse_existing(path, overwrite)
    disk.sweep(path.parent, idle=FORSAKEN_SECONDS)
    token = cancel or progress_module.CancelToken()
    job = _Job(
        base,
        _unsearched(games),
        dict.fromkeys(games, 0),
        None,
        False,
        False,
        hit_table.Rows.HITS,
        ".pgn",
        token,
        progress,
    )
    try:
        with (
            sources.Readers(base) as job.readers,
            disk.replacing(path, follow=True, overwrite=overwrite) as file,
        ):
            job.check()
            job.pgn(file)
            job.check()
    except OSError as error:
        raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error


def _unsearched(games: Sequence[int]) -> search_model.SearchResult:
    """A result without a query and without hits."""
    return search_model.SearchResult(
        query="",
        order=tuple(games),
        games=FoundGames.of(()),
    )


def _refuse_existing(path: Path, overwrite: bool) -> None:
    if not overwrite and disk.stands(path):
        raise Existing(f"{path} exists already and is not overwritten.")


def checked_ending(path: Path) -> str:
    """The ending of a file to be written, in lower case. Raises `CqlguiError` if the ending names no
    format, or if a package that the format needs is not installed."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise errors.CqlguiError(f"{path.name}: the ending must be one of {' '.join(ENDINGS)}.")
    if ending in arrow_files.ENDINGS:
        arrow_files.require()
    return ending


def _chosen(
    result: search_model.SearchResult, games: Sequence[int] | None, element: tuple[int, int] | None
) -> dict[int, int]:
    """The games to be written, in output order, each with the number of its hits."""
    columns = result.games.columns
    if element is not None:
        columns = columns.take(having(columns, orbit_pass.code_of(*element)))
    if games is not None:
        columns = columns.take(np.isin(columns.games, np.array(games, np.int64)))
    starts = first_hits(columns.hits)
    counts = np.diff(starts, append=len(columns))
    counted = dict(zip((columns.hits[starts] >> GAME_SHIFT).tolist(), counts.tolist(), strict=True))
    wanted = None if games is None else set(games)
    return {
        game: counted.get(game, 0)
        for game in result.order
        if (wanted is None or game in wanted) and (element is None or game in counted)
    }


def _limited(found: hit_model.GameHits, element: tuple[int, int]) -> hit_model.GameHits | None:
    """Only the hits of an orbit element, with this element as their primary match. The comments of other hits
    are dropped. None if the element has no hits."""
    kept: list[hit_model.Hit] = []
    for hit in found.hits:
        match = next((one for one in hit.matches if (one.orbit, one.element) == element), None)
        if match is None:
            continue
        others = tuple(one for one in hit.matches if one is not match)
        squares = hit.squares if match is hit.matches[0] else match.squares
        kept.append(data.replace(hit, squares=squares, matches=(match, *others)))
    if not kept:
        return None
    log = game_log.kept(found.log, {hit.positionid for hit in kept})
    return data.replace(found, hits=tuple(kept), log=tuple(log))


class _Job:
    """Writes one export, in any of the formats. `games` and `hits` count the games and hits that were
    written."""

    readers: sources.Readers

    def __init__(
        self,
        base: base_model.Base,
        result: search_model.SearchResult,
        chosen: dict[int, int],
        element: tuple[int, int] | None,
        annotate: bool,
        normalise: bool,
        rows: hit_table.Rows,
        ending: str,
        cancel: progress_module.CancelToken,
        report: progress_module.ProgressSink,
    ) -> None:
        self.base = base
        self.result = result
        self.chosen = chosen
        self.element = element
        self.annotate = annotate or normalise
        self.normalise = normalise
        # Without transforms, the query's frame is that of the game.
        self._turns = normalise and bool(result.orbits)
        self.rows = rows
        self.ending = ending
        self.judges: judging.Judges | None = None
        self.arranged: Arranged | None = None
        self.as_played = 0
        self.cancel = cancel
        self.report = report
        self.games = 0
        self.hits = 0

    def check(self) -> None:
        """Raise `errors.SourceError` if a source of the games to be written no longer holds the indexed text.
        Other sources may have changed: nothing is read from them."""
        self.readers.check(self.chosen)

    def pgn(self, file: BinaryIO) -> None:
        texts = self._framed_texts() if self._turns else self._many()
        current = next(texts, None)
        while current is not None:
            following = next(texts, None)
            file.write(current.text)
            file.write(joining.closing(current, following))
            current = following

    def study(self, files: Sequence[Path], *, follow: bool, overwrite: bool) -> None:
        """Write the games as the chapters of studies, at most `studies.CHAPTERS` in each file."""
        self.check()
        texts = (joining.Text.of(text) for text in self._chapters())
        with contextlib.ExitStack() as stack:
            add = (
                stack.enter_context(disk.adding(follow=follow, overwrite=overwrite))
                if len(files) > 1
                else None
            )
            for path in files:
                made = list(itertools.islice(texts, studies.CHAPTERS))
                whole = b"".join(
                    current.text + joining.closing(current, after)
                    for current, after in itertools.zip_longest(made, made[1:])
                )
                if add is not None:
                    add(path, whole)
                else:
                    written = disk.replacing(path, follow=follow, overwrite=overwrite)
                    stack.enter_context(written).write(whole)
            self.check()

    def _chapters(self) -> Iterator[bytes]:
        """The texts of the chapters. Those of one study have different names."""
        taken: set[str] = set()
        for number, hits in enumerate(self._counted()):
            if number % studies.CHAPTERS == 0:
                taken.clear()
            opened, ordinal = self.readers.of(hits.game)
            text = self._framed(hits, opened, ordinal).encode("utf-8") if self._turns else b""
            if not text:
                self.as_played += self._turns
                comments = match_comments(hits, self.result.orbits)
                text = _rewritten(opened.whole(ordinal), hits, comments).text
            rows = games_module.rows(self.base, [hits.game])
            known = {name: getattr(rows[0], name) if rows else "" for name in ("white", "black", "date")}
            name = studies.name(known, taken)
            taken.add(name)
            yield studies.chapter(text, [(studies.NAME_TAG, name)])

    def epd(self, file: BinaryIO) -> None:
        for lines in epd_lines.lines(self._tables()):
            file.write(lines.encode())

    def csv(self, file: BinaryIO) -> None:
        file.write(csv_lines.head(self._fields).encode("utf-8"))
        for lines in csv_lines.lines(self._tables(), self._fields):
            file.write(lines.encode("utf-8"))

    def arrow(self, file: BinaryIO, notes: Mapping[str, str] | None = None) -> None:
        arrow_files.write(file, self._tables(), self._fields, self.ending, notes)

    def jsonl(self, file: BinaryIO) -> None:
        special = self.element, self.judges, self.arranged
        as_objects = self.normalise or any(one is not None for one in special)
        # While a piece is written, a thread makes the next one.
        for piece in ahead.each(self._object_lines() if as_objects else self._lines(), _PIECES):
            file.write(piece)

    def _lines(self) -> Iterator[bytes | memoryview]:
        """The hits as JSON lines, in the way of `search --jsonl`."""
        return hit_lines.lines(
            self.base,
            self._batches(),
            self.result.orbits,
            variations=self.result.variations,
            rows=self.rows,
        )

    def _object_lines(self) -> Iterator[bytes | memoryview]:
        for record in self._records():
            yield hit_lines.encoded(hit_lines.quoted(record) + "\n")

    def html(self, file: BinaryIO) -> None:
        for piece in gallery.page(self._tables(), self.result.asked, len(self.chosen)):
            file.write(piece.encode("utf-8", "replace"))

    def tex(self, file: BinaryIO) -> None:
        for piece in latex_sheets.document(self._tables()):
            file.write(piece.encode("utf-8", "replace"))

    def anki(self, file: BinaryIO) -> None:
        for line in anki_notes.lines(self._tables()):
            file.write(line.encode("utf-8", "replace"))

    @property
    def _fields(self) -> tuple[str, ...]:
        """The columns of a table."""
        judged = () if self.judges is None else self.judges.fields
        return self.rows.fields + (records.NORMALISED_FIELDS if self.normalise else ()) + judged

    def _records(self) -> Iterator[dict[str, Any]]:
        """The rows of the hits as objects."""
        yield from records.of_tables(self._tables())

    def _tables(self) -> Iterator[records.Table]:
        """The rows of the hits, with what the judges say."""
        found = self._unjudged()
        yield from found if self.judges is None else records.judged(found, self.judges)

    def _unjudged(self) -> Iterator[records.Table]:
        """The rows of the hits."""
        if self.arranged is not None:
            # An order is known when all hits are known.
            if self.normalise or self.element is not None:
                found = FoundGames.of(self._counted())
            else:
                found = FoundGames.filled([part for _, part in self._batches()])
            order = tuple(game for game in self.chosen if game in found)
            if order:
                yield from self.arranged(data.replace(self.result, games=found, order=order))
            return
        if self.normalise or self.element is not None:
            listed = records.records(self.base, self._counted(), self.result.orbits, normalise=self.normalise)
            yield from records.listed_tables(hit_table.grouped(listed, self.rows))
            return
        for games, found in self._batches():
            yield from records.tables(
                self.base,
                found,
                games,
                self.result.orbits,
                variations=self.result.variations,
                rows=self.rows,
            )

    def _batches(self) -> Iterator[tuple[list[int], FoundGames]]:
        """The games to be written with all their details, some at a time. This method also counts the games
        and their hits."""
        for games, found in hit_details.batches(self.base, self.result, self.chosen, cancel=self.cancel):
            self._count(self.games)
            yield games, found
            self.games += len(games)
            self.hits += sum(map(self.chosen.__getitem__, games))

    def _counted(self) -> Iterator[hit_model.GameHits]:
        """The games to be written, with all details. This method also counts the games and their hits."""
        told = hit_details.tell(self.base, self.result, self.chosen, cancel=self.cancel)
        for place, hits in enumerate(told):
            if place % _REPORT_EVERY == 0:
                self._count(place)
            limited = hits if self.element is None else _limited(hits, self.element)
            if limited is not None:
                self.games += 1
                self.hits += len(limited.hits)
                yield limited

    def _count(self, place: int) -> None:
        self.cancel.raise_if_cancelled()
        # The judges take the longest, and they report their own progress.
        if self.judges is None:
            self.report(progress_module.Progress(place, len(self.chosen), "Writing"))

    def _framed_texts(self) -> Iterator[joining.Text]:
        """The games in the frame of the query."""
        for hits in self._counted():
            opened, ordinal = self.readers.of(hits.game)
            text = self._framed(hits, opened, ordinal)
            if text:
                yield joining.Text.of(text.encode("utf-8"))
                continue
            self.as_played += 1
            yield _rewritten(opened.whole(ordinal), hits, match_comments(hits, self.result.orbits))

    def _many(self) -> Iterator[joining.Text]:
        """The games as they are, or with the comments and tags that the query writes. While the caller writes
        a batch of games to the file, a thread makes the next batch."""
        annotator = writer.Annotator()
        coming: ahead.Ahead[list[joining.Text]] | None = None
        for batch in self._annotated() if self.annotate else self._own():
            done = [] if coming is None else coming.result()
            # No thread reads a source while the progress is reported.
            self._count(self.games)
            coming = ahead.Ahead(functools.partial(self._made, annotator, batch))
            self.games += len(batch.games)
            yield from done
        if coming is not None:
            yield from coming.result()

    def _own(self) -> Iterator[_Batch]:
        for games in hit_details.parts(list(self.chosen)):
            yield _Batch(games, writer.Notes.none(len(games)), {})
            self.hits += sum(map(self.chosen.__getitem__, games))

    def _annotated(self) -> Iterator[_Batch]:
        for listed, found in hit_details.batches(self.base, self.result, self.chosen, cancel=self.cancel):
            for games in self._divided(listed):
                yield self._batch(games, found)

    def _divided(self, listed: list[int]) -> Iterator[list[int]]:
        """Some games in parts of about `_MOST_HITS` hits."""
        begin = hits = 0
        for place, game in enumerate(listed):
            if hits >= _MOST_HITS:
                yield listed[begin:place]
                begin, hits = place, 0
            hits += self.chosen[game]
        if begin < len(listed):
            yield listed[begin:]

    def _batch(self, listed: list[int], found: FoundGames) -> _Batch:
        """The games of a batch that are to be written, with their comments."""
        making = match_notes.Making(found, self.result.orbits)
        games: list[int] = []
        odd: dict[int, hit_model.GameHits] = {}
        plain: list[int] = []

        def add_plain() -> None:
            if plain:
                self.hits += making.plain(plain)
                games.extend(plain)
                plain.clear()

        for game in listed:
            if self.element is None and game not in found.told:
                plain.append(game)
                continue
            add_plain()
            hits = found[game] if self.element is None else _limited(found[game], self.element)
            if hits is None:
                continue
            self.hits += len(hits.hits)
            if hits.removed or hits.tags:
                odd[len(games)] = hits
            making.told({} if hits.removed else match_comments(hits, self.result.orbits))
            games.append(game)
        add_plain()
        return _Batch(games, making.notes(), odd)

    def _made(self, annotator: writer.Annotator, batch: _Batch) -> list[joining.Text]:
        """The texts of a batch."""
        texts = self._read(batch)
        made: list[joining.Text] = []
        for part in annotator.write(texts, batch.notes):
            hits = batch.odd.get(part.begin)
            if hits is None or part.clean:
                made.append(joining.Text(part.text, part.clean, part.first, part.last))
            else:
                priority.pause()
                comments = match_comments(hits, self.result.orbits)
                made.append(_rewritten(texts.bare(part.begin), hits, comments))
        return made

    def _read(self, batch: _Batch) -> writer.Texts:
        """The texts of a batch as they stand in the sources."""
        parts = [opened.texts(np.array(own, np.int64)) for opened, own in self.readers.runs(batch.games)]
        shifts = np.cumsum([0, *(len(part.data) for part in parts)])[:-1].tolist()
        begins, ends = (
            np.concatenate([getattr(part, name) + shift for part, shift in zip(parts, shifts, strict=True)])
            for name in ("begins", "ends")
        )
        flags = np.concatenate([part.flags for part in parts])
        branching = flags & index.VARIATIONS != 0
        kinds = np.where(branching, kernel_places.BRANCHING, kernel_places.PLAIN)
        clean = flags & index.CLEAN != 0
        if not all(map(bytes.isascii, batch.notes.comments)):
            # The kernel would write UTF-8 into a text in another encoding.
            clean &= flags & index.OTHER_ENCODING == 0
        data = parts[0].data if len(parts) == 1 else b"".join(part.data for part in parts)
        changed: list[bytes] = []
        size = len(data)
        for place, hits in batch.odd.items():
            # Texts with changed tags stand behind all other texts.
            fit = clean[place] and not hits.removed
            text = writer.tagged(data[begins[place] : ends[place]], hits.tags) if fit else None
            clean[place] = text is not None
            if text is not None:
                changed.append(text)
                begins[place], size = size, size + len(text)
                ends[place] = size
        kinds = np.where(clean, kinds, kernel_places.LEFT).astype(np.uint8)
        return writer.Texts(b"".join([data, *changed]) if changed else data, begins, ends, kinds)

    def _framed(self, hits: hit_model.GameHits, opened: hosts.SourceReader, ordinal: int) -> str:
        """The continuation of a game's first hit, in the query's frame. Empty if the continuation is no legal
        game."""
        hit = hits.hits[0] if hits.hits else None
        element = framing.element_of(hit, self.result.orbits) if hit is not None else None
        frame = framing.frame_of(element)
        if hit is None or element is None or frame is None:
            return ""
        played = tree.GameTree.decode(opened.index.start_fen(ordinal), opened.index.moves(ordinal))
        if not framing.legal(played, hit.positionid, frame):
            return ""
        read = opened.read(ordinal)
        return framing.fragment(
            played, read.tags, (read.result, read.ending or read.result), hit, element, frame
        )


@dataclass(frozen=True, slots=True)
class _Batch:
    """Games that are written together, with their comments. `odd` has the games where the query also changes
    tags or removes comments, by their places in `games`."""

    games: list[int]
    notes: writer.Notes
    odd: dict[int, hit_model.GameHits]


def _rewritten(raw: bytes, hits: hit_model.GameHits, comments: Mapping[int, str]) -> joining.Text:
    """A game with everything that the query writes."""
    return joining.Text.of(writer.annotate(raw, comments, hits.removed, hits.tags).strip(b"\r\n"))
