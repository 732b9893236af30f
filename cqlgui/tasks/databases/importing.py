"""Opens PGN sources as a base: indexes new and changed sources, and continues a killed import. A source that
is indexed already is opened without delay.

The import first writes a segment and the manifest of the index. Afterwards the import writes the rows of the
segment's games to the catalog. If the program is killed between the two steps, the missing rows are read from
the text when the source is opened again. Rows of games that are not in the manifest are dropped. Only one
program at a time writes the index of a source; other programs wait.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cqlgui.base import ahead, errors
from cqlgui.base import progress as progress_module
from cqlgui.base.files import disk, soundness
from cqlgui.db import headers
from cqlgui.pgn import archives
from cqlgui.store import index, segments, side_files
from cqlgui.tasks.databases import bases, workspace
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import base_model

if TYPE_CHECKING:
    from cqlgui.tasks.databases import reading

FIRST_BATCH = 200
LATER_BATCH = 10_000
_COMMIT_SECONDS = 1.5
_REPORT_SECONDS = 0.05
_WAIT_SECONDS = 0.2
_VERIFYING = 4
"""Number of threads that look for damage in an index."""
_MOST_AHEAD = 24
"""Signatures are prefetched for at most this number of segments (some 30 MB)."""
_PATIENCE = 3
"""Maximum number of times that a source may change during its import."""


def begin(paths: Sequence[Path | str], *, searched: bool = False) -> None:
    """Start slow work for `open_base` in the background: check the indexes of the files for damage, or
    compile the reader for files without an index. `open_base` uses the result of this work. With `searched`,
    also prefetch signatures."""
    listed: list[Path] = []
    with contextlib.suppress(errors.CqlguiError, OSError):
        # Errors are reported when the files are opened.
        for path in bases.expand(paths)[0]:
            folder = workspace.index_folder(path)
            known = index.Manifest.read(folder)
            if known is None and path.is_file():
                _begin_reading()
            if known is not None:
                _begun[folder] = known, ahead.Ahead(functools.partial(_damaged, folder, known))
                listed += [folder / row.file for row in known.segments]
    if searched:
        side_files.begin(listed[:_MOST_AHEAD])


_begun: Final[dict[Path, tuple[index.Manifest, ahead.Ahead[list[int]]]]] = {}


def open_base(
    paths: Sequence[Path | str],
    *,
    name: str = "",
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
    on_base: Callable[[base_model.Base], None] | None = None,
    pool: pool_module.Pool | None = None,
) -> base_model.ImportReport:
    """Open PGN files, or `.cqlbase` lists of PGN files, as one base. New and changed files are indexed.

    `on_base` gets the growing base after each committed batch, in the caller's thread; the first batch is
    small. Bad games are recorded and never stop the import. If the import is cancelled, `cancelled` of the
    report is true, and the base is incomplete. All committed games stay in the index. If one of several
    sources cannot be read, it is left out, with a message. A damaged source that can be read in part is
    opened in part, with a message. A missing file raises `errors.SourceError` before anything is indexed. If
    no source can be read, `errors.SourceError` is raised. If the index cannot be written, `CqlguiError` is
    raised.
    """
    started = time.perf_counter()
    workspace.sweep()
    absolute, listed_name = bases.expand(paths)
    for path in absolute:
        if not disk.is_file(path):
            # This call raises an error that gives the reason, for example that the path is a folder.
            archives.open_source(path, workspace.index_folder(path)).close()
    catalog = workspace.catalog()
    number, shown_name = catalog.base(absolute, name or listed_name)
    job = _Import(
        number,
        shown_name,
        absolute,
        cancel or progress_module.CancelToken(),
        progress,
        on_base,
        pool or pool_module.shared(),
    )
    finished = job.run()
    base = job.base()
    # The catalog's notice is taken last, because taking the notice removes it from the catalog. An error
    # after this line would lose the notice.
    notice = catalog.take_notice()
    messages = (notice, *job.messages) if notice else tuple(job.messages)
    return base_model.ImportReport(
        base=base,
        games=base.games,
        positions=base.positions,
        reused=job.reused,
        bad_games=bases.bad_games(base),
        seconds=time.perf_counter() - started,
        cancelled=not finished,
        messages=messages,
        unreadable=tuple(job.unreadable),
        damaged=tuple(job.damaged),
    )


class _Import:
    """Imports the sources of one base, one source after the other."""

    def __init__(
        self,
        number: int,
        name: str,
        paths: tuple[Path, ...],
        cancel: progress_module.CancelToken,
        report: progress_module.ProgressSink,
        on_base: Callable[[base_model.Base], None] | None,
        pool: pool_module.Pool,
    ) -> None:
        self.number = number
        self.name = name
        self.paths = paths
        self.cancel = cancel
        self.report = report
        self.on_base = on_base
        self.pool = pool
        self.reused = 0
        self.messages: list[str] = []
        self.unreadable: list[Path] = []
        self.damaged: list[Path] = []
        self._rows = [workspace.catalog().source(path) for path in paths]
        # Games, positions, completeness and digest of each source, as far as known.
        self._states: list[tuple[int, int, bool, str]] = [(0, 0, False, "")] * len(paths)

    def run(self) -> bool:
        """Bring every readable source up to date. Returns False if the import was cancelled. Raises
        `errors.SourceError` if no source can be read."""
        for place, path in enumerate(self.paths):
            try:
                _SourceImport(self, place, path, self._rows[place].id).run()
            except errors.Cancelled:
                return False
            except errors.SourceError as fault:
                if len(self.paths) == 1:
                    raise
                self.unreadable.append(path)
                self.messages.append(f"{fault} The other files are open without it.")
                if len(self.unreadable) == len(self.paths):
                    raise errors.SourceError(
                        f"None of these {len(self.paths)} files can be read. {fault}"
                    ) from fault
                if not self._states[place][0]:
                    # An unreadable source without games counts as complete, because no games will follow.
                    self.grown(place, 0, 0, True, "")
        return True

    def base(self) -> base_model.Base:
        """The base in its present state."""
        found: list[base_model.Source] = []
        first = 1
        for path, row, state in zip(self.paths, self._rows, self._states, strict=True):
            games, positions, complete, digest = state
            found.append(base_model.Source(path, first, games, row.id, positions, complete, digest))
            first += games
        return base_model.Base(
            id=self.number,
            name=self.name,
            sources=tuple(found),
            games=first - 1,
            positions=sum(source.positions for source in found),
            complete=all(source.complete for source in found),
        )

    def grown(self, place: int, games: int, positions: int, complete: bool, digest: str) -> None:
        """Note the state of a source and report the growing base."""
        self._states[place] = (games, positions, complete, digest)
        if self.on_base is not None:
            self.on_base(self.base())


class _SourceImport:
    """Brings the index and the catalog rows of one source up to date."""

    def __init__(self, owner: _Import, place: int, path: Path, row: int) -> None:
        self.owner = owner
        self.place = place
        self.path = path
        self.row = row
        self.folder = workspace.index_folder(path)
        self.catalog = workspace.catalog()
        self._reported = 0.0
        self._started = time.monotonic()

    def run(self) -> None:
        """Index the source as far as needed. Raises `errors.Cancelled`, after committing all games that were
        read."""
        changes = 0
        done = False
        doubtful: Path | None = None
        while not done:
            self.owner.cancel.raise_if_cancelled()
            if doubtful is not None:
                archives.forget_copy(doubtful)
                if disk.is_file(doubtful):
                    raise errors.SourceError(
                        f"{self.path.name} cannot be unpacked anew: {doubtful} cannot be removed."
                    )
                doubtful = None
            with archives.open_source(
                self.path, self.folder, cancel=self.owner.cancel, report=self.owner.report
            ) as text:
                if text.damage:
                    said = f"{self.path.name} is damaged: {text.damage}. Only what can be read of it is open."
                    if said not in self.owner.messages:
                        self.owner.messages.append(said)
                        self.owner.damaged.append(self.path)
                try:
                    done = self._update(text)
                except _CopyError:
                    doubtful = text.plain
                    changes += 1
                except _ChangedError:
                    changes += 1
                    self.owner.messages.append(f"{self.path.name} has changed while it was read.")
            if changes > _PATIENCE:
                raise errors.SourceError(
                    f"{self.path.name} changes while it is read. Open it when that is over."
                )

    def _update(self, text: archives.Text) -> bool:
        """Bring the index up to date. Returns False if the caller must call this method again. Raises
        `_ChangedError` if the source has changed since it was opened. Raises `_CopyError` if games would be
        read from a copy that may be damaged."""
        known = self._known()
        state = "new" if known is None else index.compare(known.identity, self.path, text.plain)
        try:
            if known is not None and state != "changed":
                self._repair(text, known)
            if known is not None and state == "same" and known.complete and self._has_all_rows(known):
                if known.identity.state != text.stamp:
                    # The file was copied, linked or touched, but its text is unchanged.
                    index.note_state(self.folder, known, text.stamp)
                self.owner.reused += known.games
                self.owner.grown(self.place, known.games, known.positions, True, known.identity.digest)
                return True
            self._insist_on_a_sound_copy(text, known)
            _begin_reading()
            identity = index.identify(self.path, text.plain, cancel=self.owner.cancel)
            if (identity.state, identity.text_size) != (text.stamp, text.size):
                raise _ChangedError
            with index.Writer(self.folder, identity, grown=state == "grown") as writer:
                try:
                    self._read_on(text, writer)
                    if text.wide:
                        self.owner.messages.append(
                            f"{self.path.name} holds games in UTF-16 behind others. They cannot be read; "
                            "save it in one encoding."
                        )
                except errors.IndexDamaged as damage:
                    self._forget(damage)
                    return False
        except index.Busy:
            self._wait()
            return False
        return True

    def _insist_on_a_sound_copy(self, text: archives.Text, known: index.Manifest | None) -> None:
        """Raise `_CopyError` if an old unpacked copy does not begin with the indexed text. Also raise
        `_CopyError` for an old copy without an index. Without an index, nothing shows whether the copy is
        sound."""
        if not text.fresh and (known is None or not index.holds(known.identity, text.plain)):
            raise _CopyError

    def _insist_on_the_same(self, text: archives.Text) -> None:
        """Raise `_ChangedError` if the source has changed since its text was opened."""
        try:
            status = self.path.stat()
        except OSError:
            raise _ChangedError from None
        if disk.State.of(status) != text.stamp:
            raise _ChangedError

    def _known(self) -> index.Manifest | None:
        try:
            return index.Manifest.read(self.folder)
        except errors.IndexDamaged as damage:
            self.owner.messages.append(f"{damage} {self.path.name} is read again.")
            return None

    def _repair(self, text: archives.Text, known: index.Manifest) -> None:
        """Rebuild damaged segments; raises `index.Busy`."""
        begun = _begun.pop(self.folder, None)
        damaged = begun[1].result() if begun and begun[0] == known else _damaged(self.folder, known)
        if not damaged:
            return
        self._insist_on_a_sound_copy(text, known)
        with index.lock(self.folder):
            try:
                for number in damaged:
                    row = known.segments[number]
                    last = known.complete and number == len(known.segments) - 1
                    with self._pieces(text, row.offset, row.line, row.end, last=last) as pieces:
                        games = [piece.games for piece in pieces]
                    index.rebuild_segment(self.folder, number, index.Block.joined(games))
                    self.owner.messages.append(
                        f"A damaged part of the index of {self.path.name} ({row.games} games) was made again."
                    )
            except errors.IndexDamaged as damage:
                self._forget(damage)

    def _forget(self, damage: errors.IndexDamaged) -> None:
        """Discard an index that does not fit the text of its source. The caller must hold the lock of the
        index."""
        self.owner.messages.append(f"{damage} {self.path.name} is read again.")
        with contextlib.suppress(OSError):
            (self.folder / "manifest.json").unlink()

    def _has_all_rows(self, known: index.Manifest) -> bool:
        row = self.catalog.source(self.path)
        noted = (row.games, row.positions, row.complete)
        return noted == (known.games, known.positions, True) and self.catalog.sound(self.row) == known.games

    def _complete_rows(self, text: archives.Text, known: index.Manifest) -> None:
        """Read again the headers that the catalog lacks. Headers are lacking if the catalog was set aside, or
        if a block of the catalog was damaged. Headers are also lacking if the program was killed before it
        wrote the headers. Rows of games that are not in the index are dropped."""
        have = min(self.catalog.sound(self.row), known.games)
        if have == known.games == self.catalog.count(self.row) and have:
            return
        self.catalog.begin(self.row, have)
        if have == known.games:
            return
        with index.SourceIndex.open(self.folder) as opened:
            offset, _length, line = opened.span(have)
        with self._pieces(text, offset, line, known.next_offset, last=known.complete) as pieces:
            for piece in pieces:
                self.catalog.add_games(self.row, have, piece.headers, known.positions)
                have += len(piece)
                self._tell(have, known.games, "Reading headers")
        if have != known.games:
            self._insist_on_the_same(text)
            raise errors.IndexDamaged(f"The index of {self.path.name} does not fit its text.")

    def _read_on(self, text: archives.Text, writer: index.Writer) -> None:
        """Read the games that are not committed yet."""
        kept = writer.game_count
        self._complete_rows(text, writer.manifest)
        self.owner.reused += kept
        positions = writer.manifest.positions
        digest = writer.manifest.identity.digest
        self.owner.grown(self.place, kept, positions, False, digest)
        batch: list[headers.Table] = []
        goal = FIRST_BATCH if not kept else LATER_BATCH
        last_commit = time.monotonic()
        end = (writer.next_offset, writer.next_line)

        def commit(complete: bool) -> None:
            nonlocal goal, last_commit
            first = writer.game_count
            writer.commit_segment(*end, complete=complete)
            if batch:
                self.catalog.add_games(self.row, first, batch, positions)
                batch.clear()
            if complete:
                self.catalog.finish(self.row, writer.game_count, positions)
            goal, last_commit = LATER_BATCH, time.monotonic()
            self.owner.grown(self.place, writer.game_count, positions, complete, digest)

        def take(part: reading.Piece) -> None:
            nonlocal positions, end
            writer.add_games(part.games)
            batch.extend(part.headers)
            positions += part.positions
            end = part.end
            self._tell(end[0], text.size, "", writer.game_count + writer.waiting - kept)
            waited = time.monotonic() - last_commit
            if writer.waiting >= goal or (writer.waiting >= FIRST_BATCH and waited > _COMMIT_SECONDS):
                commit(False)

        try:
            with self._pieces(text, *end, last=True) as pieces:
                for piece in pieces:
                    taken = 0
                    while taken < len(piece):
                        part = piece.part(taken, min(taken + goal - writer.waiting, len(piece)))
                        taken += len(part)
                        take(part)
            self._insist_on_the_same(text)
        except (errors.Cancelled, _ChangedError):
            commit(False)
            raise
        end = (text.size, end[1])
        commit(True)
        if not writer.game_count:
            self.owner.messages.append(f"{self.path.name} holds no games.")

    @contextlib.contextmanager
    def _pieces(
        self, text: archives.Text, offset: int, line: int, until: int | None = None, *, last: bool
    ) -> Iterator[Iterator[reading.Piece]]:
        """Read the games of a part of the text, within a `with` block. `last` says whether the part ends with
        the last game of the text. If the file is damaged, the last game of the text gets the damage as its
        problem."""
        from cqlgui.tasks.databases import reading

        found = reading.pieces(
            text, offset, line, pool=self.owner.pool, cancel=self.owner.cancel, until=until
        )
        with contextlib.closing(found) as pieces:
            yield _marked(pieces, f"the file is damaged: {text.damage}") if last and text.damage else pieces

    def _tell(self, done: int, total: int, words: str, games: int = 0) -> None:
        now = time.monotonic()
        if now - self._reported >= _REPORT_SECONDS:
            self._reported = now
            rate = games / max(now - self._started, 0.001)
            said = words or f"{self.path.name}: {games:,} games read, {rate:,.0f} a second"
            self.owner.report(progress_module.Progress(done, total, said))

    def _wait(self) -> None:
        said = f"Another program is reading {self.path.name}; waiting"
        self.owner.report(progress_module.Progress(0, None, said))
        self.owner.cancel.wait(_WAIT_SECONDS)
        self.owner.cancel.raise_if_cancelled()


def _begin_reading() -> None:
    # The reader is imported here, because importing it takes a while. A source that is already indexed does
    # not need the reader.
    from cqlgui.tasks.databases import reading

    reading.begin()


def _damaged(folder: Path, known: index.Manifest) -> list[int]:
    """Numbers of the segments that are missing, cut off or altered. Segments that were checked before, and
    were not written to since, are not read again."""
    names = ("manifest.json", *(row.file for row in known.segments))
    checked = soundness.Checked.of([folder / name for name in names])
    if checked is not None and checked.is_noted(folder / segments.NOTE):
        return []

    def is_damaged(row: index.SegmentRow) -> bool:
        try:
            with contextlib.closing(segments.Segment(folder / row.file)) as segment:
                segment.verify()
                return segment.games != row.games
        except errors.IndexDamaged:
            return True

    # Threads help, because computing checksums releases the interpreter lock.
    with futures.ThreadPoolExecutor(_VERIFYING) as threads:
        damaged = [number for number, bad in enumerate(threads.map(is_damaged, known.segments)) if bad]
    if checked is not None and not damaged:
        checked.note(folder / segments.NOTE)
    return damaged


def _marked(pieces: Iterator[reading.Piece], reason: str) -> Iterator[reading.Piece]:
    """The games of `pieces`; the last game gets the problem `reason`."""
    before = next(pieces, None)
    if before is None:
        return
    for piece in pieces:
        yield before
        before = piece
    yield before.with_problem(reason)


class _CopyError(Exception):
    """The unpacked copy of the source may be damaged."""


class _ChangedError(Exception):
    """The source has changed since it was opened."""
