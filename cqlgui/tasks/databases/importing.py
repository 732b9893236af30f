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
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cqlgui.base import ahead, data, errors, plurals
from cqlgui.base import progress as progress_module
from cqlgui.base.files import disk, soundness
from cqlgui.db import headers
from cqlgui.pgn import archives, texts
from cqlgui.store import index, places, segments, side_files
from cqlgui.tasks.databases import bases, workspace
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import base_model

if TYPE_CHECKING:
    from cqlgui.db import sifting
    from cqlgui.tasks.databases import reading, signing

FIRST_BATCH = 200
LATER_BATCH = segments.LARGEST
"""The number of games in the first segment of a source, and in all but the next and the last segment. The
sizes do not depend on the speed of the machine, because a search pays for each segment. If the program is
killed, the games since the last commit are read again: at most `LATER_BATCH` games, a fraction of a second of
work with machine code, and half a minute without it."""
_SIGNED = 10_000
"""An import makes the signatures of segments with at least so many games. A search makes those of a few
smaller segments in no time."""
_GROWTH = 8
"""The second segment has so many times as many games as the first one, so that a slow machine soon shows
more."""
_REPORT_SECONDS = 0.05
_WAIT_SECONDS = 0.2
_VERIFYING = 4
"""Number of threads that look for damage in an index."""
_CHECKED_WHOLE = 32 << 20
"""When an index is opened, at most so many bytes of segments are compared with their checksums. This takes a
few hundredths of a second."""
_MOST_AHEAD = 8
"""Signatures are prefetched for at most this number of segments (some 30 MB)."""
_PATIENCE = 3
"""Maximum number of times that a source may change during its import."""


def begin(paths: Sequence[Path | str], *, searched: bool = False) -> None:
    """Start slow work for `open_base` in the background: check the indexes of the files for damage, or
    compile the reader for files without an index. `open_base` uses the result of this work. With `searched`,
    also prefetch signatures."""
    listed: list[Path] = []
    indexed: dict[Path, index.Manifest] = {}
    with contextlib.suppress(errors.CqlguiError, OSError):
        # Errors are reported when the files are opened.
        for path in bases.expand(paths)[0]:
            folder = workspace.index_folder(path)
            known = index.Manifest.read(folder)
            if known is None and path.is_file():
                _begin_reading()
            if known is not None:
                indexed[folder] = known
                listed += [folder / row.file for row in known.segments]
    coming = ahead.in_order(
        {folder: functools.partial(_damaged, folder, known) for folder, known in indexed.items()}
    )
    _begun.update((folder, (indexed[folder], found)) for folder, found in coming.items())
    if searched:
        side_files.begin(listed[:_MOST_AHEAD])


_begun: Final[dict[Path, tuple[index.Manifest, futures.Future[list[int]]]]] = {}


def open_base(
    paths: Sequence[Path | str],
    *,
    name: str = "",
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
    on_base: Callable[[base_model.Base], None] | None = None,
    pool: pool_module.Pool | None = None,
    games: str | None = None,
    reader: reading.Reader | None = None,
) -> base_model.ImportReport:
    """Open PGN files, or `.cqlbase` lists of PGN files, as one base. New and changed files are indexed. The
    folder or address of a published base may stand in place of the files.

    `games` is a filter on tags (`db.sifting`): games that do not pass it get no ordinals, and are not in the
    base. A file that was imported with another filter is indexed again. If `games` is empty, all games are
    imported. If it is None, each file keeps the filter of its index. Raises `game_filter.FilterError` for a
    filter that cannot be understood. `reader` reads the games in place of `reading.pieces`; what is lacking
    in an index that is there already is read here all the same.

    `on_base` gets the growing base after each committed batch, in the caller's thread; the first batch is
    small. Bad games are recorded and never stop the import. If the import is cancelled, `cancelled` of the
    report is true, and the base is incomplete. All committed games stay in the index. If one of several
    sources cannot be read, it is left out, with a message. So is a source that another path names too. A
    damaged source that can be read in part is opened in part, with a message. A missing file raises
    `errors.SourceError` before anything is indexed. If no source can be read, `errors.SourceError` is raised.
    If the index cannot be written, `CqlguiError` is raised. So it is if a `reader` is given for a published
    base, and if the `reader` cannot go on (`reading.StoppedError`); then all games that were read are kept.
    """
    place = places.published_at(paths)
    if place is not None:
        if reader is not None:
            raise errors.CqlguiError("This base is published already, so no file is read. Name the files.")
        from cqlgui.tasks.databases import published

        return published.open_base(place, cancel=cancel, progress=progress)
    started = time.perf_counter()
    if games:
        # A filter with errors is refused before anything is indexed.
        _sieve(games)
    workspace.sweep()
    absolute, listed_name, left_out = bases.expand(paths)
    insist(absolute)
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
        None if games is None else games.strip(),
        reader,
    )
    finished = job.run()
    base = job.base()
    # The catalog's notice is taken last, because taking the notice removes it from the catalog. An error
    # after this line would lose the notice.
    notice = catalog.take_notice()
    messages = (*([notice] if notice else []), *left_out, *job.messages)
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


def next_goal(games: int) -> int:
    """The number of games in the segment that follows one with `games` games."""
    return min(_GROWTH * games, LATER_BATCH)


def wide(path: Path) -> str:
    """What is said of a text that holds UTF-16, and is not UTF-16 as a whole."""
    return f"{path.name} holds games in UTF-16 behind others. They cannot be read; save it in one encoding."


def without(fault: errors.SourceError) -> str:
    """What is said if one of several files cannot be read."""
    return f"{fault} The other files are open without it."


def none_of(count: int, fault: errors.SourceError) -> errors.SourceError:
    """The error if none of several files can be read. `fault` is that of one of them."""
    return errors.SourceError(f"None of these {count} files can be read. {fault}")


def insist(paths: Sequence[Path]) -> None:
    """Raise `errors.SourceError` for a path that is no file, with the reason: it is missing, or a folder."""
    for path in paths:
        if not disk.is_file(path):
            archives.open_source(path, workspace.index_folder(path)).close()


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
        games: str | None,
        reader: reading.Reader | None,
    ) -> None:
        self.games = games
        self.reader = reader
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
        self._signer: signing.Signer | None = None
        self._rows = [workspace.catalog().source(path) for path in paths]
        # Games, positions, completeness, name and filter of each source, as far as known.
        self._states: list[tuple[int, int, bool, str, str]] = [(0, 0, False, "", "")] * len(paths)

    def run(self) -> bool:
        """Bring every readable source up to date. Returns False if the import was cancelled. Raises
        `errors.SourceError` if no source can be read."""
        try:
            finished = self._read_all()
            if self._signer is not None:
                self._signer.finish(self.cancel, self.report)
        finally:
            if self._signer is not None:
                self._signer.close()
        return finished

    def _read_all(self) -> bool:
        for place, path in enumerate(self.paths):
            try:
                _SourceImport(self, place, path, self._rows[place].id).run()
            except errors.Cancelled:
                return False
            except errors.SourceError as fault:
                if len(self.paths) == 1:
                    raise
                self.unreadable.append(path)
                self.messages.append(without(fault))
                if len(self.unreadable) == len(self.paths):
                    raise none_of(len(self.paths), fault) from fault
                if not self._states[place][0]:
                    # An unreadable source without games counts as complete, because no games will follow.
                    self.grown(place, 0, 0, True, None)
        return True

    def sign(self, path: Path) -> None:
        """Make the signatures of a new segment beside the import."""
        if self._signer is None:
            # Few imports have large segments, and importing the module takes a while.
            from cqlgui.tasks.databases import signing

            self._signer = signing.Signer()
        self._signer.add(path)

    def base(self) -> base_model.Base:
        """The base in its present state."""
        found: list[base_model.Source] = []
        first = 1
        for path, row, state in zip(self.paths, self._rows, self._states, strict=True):
            games, positions, complete, digest, only = state
            found.append(base_model.Source(path, first, games, row.id, positions, complete, digest, only))
            first += games
        return base_model.Base(
            id=self.number,
            name=self.name,
            sources=tuple(found),
            games=first - 1,
            positions=sum(source.positions for source in found),
            complete=all(source.complete for source in found),
        )

    def grown(
        self, place: int, games: int, positions: int, complete: bool, identity: index.Identity | None
    ) -> None:
        """Note the state of a source and report the growing base."""
        named = ("", "") if identity is None else (identity.name, identity.games)
        self._states[place] = (games, positions, complete, *named)
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
        while not done:
            self.owner.cancel.raise_if_cancelled()
            with archives.open_source(
                self.path, self.folder, cancel=self.owner.cancel, report=self.owner.report
            ) as text:
                try:
                    done = self._update(text)
                except texts.ChangedError:
                    changes += 1
                    self.owner.messages.append(f"{self.path.name} has changed while it was read.")
                if text.damage:
                    said = f"{self.path.name} is damaged: {text.damage}. Only what can be read of it is open."
                    if said not in self.owner.messages:
                        self.owner.messages.append(said)
                        self.owner.damaged.append(self.path)
            if changes > _PATIENCE:
                raise errors.SourceError(
                    f"{self.path.name} changes while it is read. Open it when that is over."
                )

    def _update(self, text: texts.Text) -> bool:
        """Bring the index up to date. Returns False if the caller must call this method again. Raises
        `texts.ChangedError` if the source has changed since it was opened."""
        known = self._known()
        state = "new"
        if known is not None and self._chosen(known.identity.games):
            own = known.identity
            state = text.relation(own.state, own.text_size, own.digest, cancel=self.owner.cancel)
        try:
            if known is not None and state in ("same", "grown"):
                self._repair(text, known)
            if known is not None and state == "same" and known.complete and self._has_all_rows(known):
                if known.identity.state != text.stamp:
                    # The file was copied, linked or touched, but its text is unchanged.
                    index.note_state(self.folder, known, text.stamp)
                self.owner.reused += known.games
                self.owner.grown(self.place, known.games, known.positions, True, known.identity)
                self._name_filter(known.identity)
                # The copy of a packed source may have been removed.
                text.finish()
                return True
            _begin_reading()
            identity = self._identify(text, known, state == "same")
            with index.Writer(self.folder, identity, grown=state == "grown") as writer:
                try:
                    self._read_on(text, writer)
                    self._name_filter(identity)
                    if text.wide:
                        self.owner.messages.append(wide(self.path))
                except errors.IndexDamaged as damage:
                    self._forget(damage)
                    return False
        except index.Busy:
            self._wait()
            return False
        return True

    def _name_filter(self, identity: index.Identity) -> None:
        """Say which games are open, if the user did not choose them now."""
        if identity.games and self.owner.games is None:
            self.owner.messages.append(
                f"{self.path.name} was imported with a filter: only its games that fit “{identity.games}” "
                f"are open. To have all games, run: cqlgui import {self.path.name}"
            )

    def _chosen(self, games: str) -> bool:
        """Whether an index with the filter `games` may be used."""
        return self.owner.games in (None, games)

    def _identify(self, text: texts.Text, known: index.Manifest | None, same: bool) -> index.Identity:
        """The identity of a text. `known` is the index that the source has. `same` says whether this index
        has the games of this text."""
        if known is not None and same:
            return data.replace(known.identity, state=text.stamp)
        games = self.owner.games
        if games is None:
            games = "" if known is None else known.identity.games
        if not text.ended:
            return index.Identity(str(self.path), text.stamp, 0, "", os.urandom(10).hex(), games)
        digest = text.digest(self.owner.cancel)
        return index.Identity(str(self.path), text.stamp, text.size, digest, games=games)

    def _insist_on_the_same(self, text: texts.Text) -> None:
        """Raise `texts.ChangedError` if the source has changed since its text was opened."""
        if not text.is_intact():
            raise texts.ChangedError(f"{self.path.name} has changed while it was read.")

    def _known(self) -> index.Manifest | None:
        try:
            return index.Manifest.read(self.folder)
        except errors.IndexDamaged as damage:
            self.owner.messages.append(f"{damage} {self.path.name} is read again.")
            return None

    def _repair(self, text: texts.Text, known: index.Manifest) -> None:
        """Rebuild damaged segments; raises `index.Busy`."""
        begun = _begun.pop(self.folder, None)
        damaged = begun[1].result() if begun and begun[0] == known else _damaged(self.folder, known)
        if not damaged:
            return
        with index.lock(self.folder):
            try:
                for number in damaged:
                    row = known.segments[number]
                    last = known.complete and number == len(known.segments) - 1
                    only = known.identity.games
                    with self._pieces(text, only, row.offset, row.line, row.end, last=last) as pieces:
                        games = [piece.games for piece in pieces]
                    index.rebuild_segment(self.folder, number, index.Block.joined(games))
                    self.owner.messages.append(
                        f"A damaged part of the index of {self.path.name} ({plurals.games(row.games)}) was "
                        "made again."
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

    def _complete_rows(self, text: texts.Text, known: index.Manifest) -> None:
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
        only = known.identity.games
        with self._pieces(text, only, offset, line, known.next_offset, last=known.complete) as pieces:
            for piece in pieces:
                if not len(piece):
                    continue
                self.catalog.add_games(self.row, have, piece.headers, known.positions)
                have += len(piece)
                self._tell(have, known.games, "Reading headers")
        if have != known.games:
            self._insist_on_the_same(text)
            raise errors.IndexDamaged(f"The index of {self.path.name} does not fit its text.")

    def _read_on(self, text: texts.Text, writer: index.Writer) -> None:
        """Read the games that are not committed yet."""
        from cqlgui.tasks.databases import reading

        kept = writer.game_count
        self._complete_rows(text, writer.manifest)
        self.owner.reused += kept
        positions = writer.manifest.positions
        self.owner.grown(self.place, kept, positions, False, writer.manifest.identity)
        batch: list[headers.Table] = []
        goal = FIRST_BATCH if not kept else LATER_BATCH
        end = (writer.next_offset, writer.next_line)

        def commit(complete: bool) -> None:
            nonlocal goal
            first = writer.game_count
            text.keep()
            identity = writer.manifest.identity
            if complete and not identity.digest:
                identity = data.replace(identity, text_size=text.size, digest=text.digest())
            writer.commit_segment(*end, complete=complete, identity=identity)
            if batch:
                self.catalog.add_games(self.row, first, batch, positions)
                batch.clear()
            if writer.game_count - first >= _SIGNED:
                self.owner.sign(self.folder / writer.manifest.segments[-1].file)
            if complete:
                self.catalog.finish(self.row, writer.game_count, positions)
            goal = next_goal(goal)
            self.owner.grown(self.place, writer.game_count, positions, complete, identity)

        def take(part: reading.Piece) -> None:
            nonlocal positions, end
            writer.add_games(part.games)
            batch.extend(part.headers)
            positions += part.positions
            end = part.end
            self._tell(end[0], text.size, "", writer.game_count + writer.waiting - kept)
            if writer.waiting >= goal:
                commit(False)

        try:
            only, reader = writer.manifest.identity.games, self.owner.reader
            with self._pieces(text, only, *end, last=True, reader=reader) as pieces:
                for piece in pieces:
                    self._tell(*text.share(piece.reached), "", writer.game_count + writer.waiting - kept)
                    taken = 0
                    while taken < len(piece):
                        part = piece.part(taken, min(taken + goal - writer.waiting, len(piece)))
                        taken += len(part)
                        take(part)
            self._insist_on_the_same(text)
        except (errors.Cancelled, texts.ChangedError, reading.StoppedError):
            commit(False)
            raise
        end = (text.size, end[1])
        commit(True)
        if not writer.game_count:
            which = f" that fit “{only}”" if only else ""
            self.owner.messages.append(f"{self.path.name} holds no games{which}.")

    @contextlib.contextmanager
    def _pieces(
        self,
        text: texts.Text,
        only: str,
        offset: int,
        line: int,
        until: int | None = None,
        *,
        last: bool,
        reader: reading.Reader | None = None,
    ) -> Iterator[Iterator[reading.Piece]]:
        """Read the games of a part of the text, within a `with` block. If the filter `only` is not empty,
        only the games that pass it are read. `last` says whether the part ends with the last game of the
        text. If the file is damaged, the last game of the text gets the damage as its problem. Of the games
        that pass a filter, the last one may be sound, so it gets no problem. A `reader` reads up to the end
        of the text."""
        from cqlgui.tasks.databases import reading

        sieve = _sieve(only) if only else None
        pool, cancel = self.owner.pool, self.owner.cancel
        if reader is not None:
            assert until is None
            found = reader(text, offset, line, pool=pool, cancel=cancel, sieve=sieve)
        else:
            found = reading.pieces(text, offset, line, pool=pool, cancel=cancel, until=until, sieve=sieve)
        with contextlib.closing(found) as pieces:
            marked = last and sieve is None and (text.damage or not text.ended)
            yield _marked(pieces, text) if marked else pieces
        if sieve is not None and last and not offset:
            self.owner.messages += [f"No game of {self.path.name} has a tag {name}." for name in sieve.unseen]

    def _tell(self, done: int, total: int, words: str, games: int = 0) -> None:
        now = time.monotonic()
        if now - self._reported >= _REPORT_SECONDS:
            self._reported = now
            rate = games / max(now - self._started, 0.001)
            counted = f"{self.path.name}: {games:,} games read, {rate:,.0f} a second"
            said = words or (counted if games else f"Reading {self.path.name}")
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


def _sieve(games: str) -> sifting.Sieve:
    # Most imports have no filter.
    from cqlgui.db import sifting

    return sifting.Sieve(games)


def _damaged(folder: Path, known: index.Manifest) -> list[int]:
    """Numbers of the segments that are missing, cut off or altered. Segments that were checked before, and
    were not written to since, are not read again. If many segments were not checked yet, only their headers
    are read. Their content is then checked when it is first used, unless there is no ledger of the segments,
    because damage was met."""
    ledger = soundness.Ledger(folder / segments.NOTE)
    disk.allow_many_files()
    found: list[int] = []
    unknown: list[tuple[int, soundness.Checked]] = []
    size = 0
    for number, row in enumerate(known.segments):
        path = folder / row.file
        checked = soundness.Checked.of([path])
        if checked is None:
            found.append(number)
        elif not (ledger.is_there and ledger.has(path, checked)):
            unknown.append((number, checked))
            size += checked.size
    whole = not ledger.is_there or size <= _CHECKED_WHOLE

    def is_damaged(of_unknown: tuple[int, soundness.Checked]) -> bool:
        number, checked = of_unknown
        row = known.segments[number]
        try:
            with contextlib.closing(segments.Segment(folder / row.file)) as segment:
                if whole:
                    segment.verify()
                    ledger.add(segment.path, checked)
                return segment.games != row.games
        except errors.IndexDamaged:
            return True

    if unknown:
        # Threads help, because computing checksums releases the interpreter lock.
        with futures.ThreadPoolExecutor(_VERIFYING) as threads:
            damaged = threads.map(is_damaged, unknown)
            found += [number for (number, _), bad in zip(unknown, damaged, strict=True) if bad]
    if not found:
        ledger.write(anew=not ledger.is_there)
    return sorted(found)


def _marked(pieces: Iterator[reading.Piece], text: texts.Text) -> Iterator[reading.Piece]:
    """The games of `pieces`; if the text is damaged, the last game gets the damage as its problem. Damage is
    known only when the text was read to its end."""
    before = next(pieces, None)
    if before is None:
        return
    for piece in pieces:
        yield before
        before = piece
    yield before.with_problem(f"the file is damaged: {text.damage}") if text.damage else before
