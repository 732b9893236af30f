"""`cqlgui search`: finds games and positions, and prints them as text, JSON, JSON lines or CSV."""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cqlgui.base import ahead, data, errors, plurals, progress
from cqlgui.base.files import disk
from cqlgui.cli import judging, opening, terminal
from cqlgui.cql.ast import nodes
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.source import diagnostics
from cqlgui.cql.transforming import transforms
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results.found import FoundGames
from cqlgui.tasks.search import hit_details, keeping, orbits, scheduling, searching, sieving

if TYPE_CHECKING:
    from cqlgui.tasks.export import hit_table, records
    from cqlgui.tasks.judging.judging import Judges


def run(arguments: argparse.Namespace) -> int:
    """Search once, or once for every line of a batch."""
    for option in ("read", "write"):
        for folder in getattr(arguments, f"allow_{option}"):
            if not disk.is_folder(folder):
                terminal.say(f"cqlgui search: --allow-{option} allows nothing, for {folder} is no folder.")
    judged = judging.wanted(arguments)
    if judged is not None and arguments.batch is not None:
        terminal.say("cqlgui search: --syzygy and an engine judge rows, and --batch prints none.")
        return terminal.USAGE
    if arguments.batch is not None:
        if not arguments.files:
            terminal.say("cqlgui search: --batch needs a FILE to search in.")
            return terminal.USAGE
        forms = (arguments.jsonl, arguments.csv, arguments.count, arguments.tree)
        if arguments.output is not None or any(forms):
            terminal.say(
                "cqlgui search: --batch prints JSON; -o, --jsonl, --csv, --count, --tree do not go with it."
            )
            return terminal.USAGE
        option = _of_whole_results(arguments)
        if option:
            terminal.say(f"cqlgui search: {option} does not go with --batch.")
            return terminal.USAGE
        if arguments.spans or arguments.group:
            terminal.say(_no_rows(arguments))
            return terminal.USAGE
        if arguments.annotate:
            terminal.say(_NO_ANNOTATION)
        if arguments.normalise:
            terminal.say(_NO_FRAME)
        return _batch(arguments)
    if arguments.sort and not (arguments.jsonl or arguments.csv or _is_table(arguments.output)):
        terminal.say(
            "cqlgui search: --sort sorts the rows of --jsonl, of --csv, and of -o in all formats but PGN."
        )
        return terminal.USAGE
    against = _against_hits(arguments)
    if against:
        terminal.say(f"cqlgui search: {against} does not go with --hits.")
        return terminal.USAGE
    text, name = terminal.query_text(arguments.expression, arguments.query_file)
    as_json = arguments.json or arguments.jsonl
    try:
        options = _options(arguments, arguments.variations, _details(arguments))
        expanded = queries.expanded(text, said=options.settings)
        _refuse_engine(arguments, expanded)
        query = expanded.query
        assert query is not None
        if not arguments.files:
            arguments.files = [_header_input(query.header, options.allow_read)]
        # An output file that the query names must lie in an allowed folder. An output file that the user
        # names may lie anywhere.
        allowed: tuple[Path, ...] = ()
        if arguments.hits is not None:
            if query.header.output is not None:
                terminal.say("The query's output is not written, as --hits says where the hits go.")
        elif arguments.output is None:
            allowed = options.allow_write
            arguments.output = _header_output(query.header, allowed)
        ending = ""
        if arguments.output is not None:
            # The module is imported here, so that a search without an output file does not wait for the
            # import.
            from cqlgui.tasks.export import exporting
            from cqlgui.tasks.export.formats import studies

            ending = exporting.checked_ending(arguments.output)
            # A file that the search reads is never replaced, and that is told first.
            keeping.refuse(None, text, options, arguments.output)
            if arguments.study and ending == ".pgn" and not arguments.overwrite:
                _refuse_numbered(studies.numbered_files(arguments.output))
            terminal.refuse_existing(arguments.output, overwrite=arguments.overwrite)
        if arguments.annotate and ending != ".pgn":
            terminal.say(_NO_ANNOTATION)
        if arguments.study and ending != ".pgn":
            terminal.say(_NO_STUDY)
        if arguments.normalise and not ending and not arguments.tree and arguments.hits is None:
            terminal.say(_NO_FRAME)
        tables = arguments.jsonl or arguments.csv or arguments.hits or ending not in ("", ".pgn")
        if (arguments.spans or arguments.group) and not tables:
            terminal.say(_no_rows(arguments))
            return terminal.USAGE
        if judged is not None and not (arguments.jsonl or arguments.csv):
            from cqlgui.tasks.export import exporting

            if ending not in exporting.JUDGED:
                terminal.say(f"{_NO_JUDGED} {' '.join(exporting.JUDGED)}.")
                return terminal.USAGE
        # An engine that cannot be started is told before the search, not after it.
        with (
            terminal.interruptible() as cancel,
            judging.opened(judged, cancel) as judges,
            opening.cluster(arguments.scheduler, cancel, partial=arguments.partial) as cluster,
        ):
            opened = opening.open_base(arguments.files, cancel, adopt=_asks_catalog(arguments))
            base = opened.base
            if arguments.output is not None:
                # Before the search, refuse an output file that must not be overwritten. If the refusal came
                # after a long search, the user would have waited in vain.
                keeping.refuse(base, text, options, arguments.output)
            options = _among(arguments, base, options)
            if arguments.partial and (cluster is None or _reads_games(arguments)):
                options = _sound(base, options)
            if arguments.hits is not None:
                code = _to_files(arguments, base, text, name, options, cancel, cluster)
            else:
                code = _once(arguments, opened, text, name, options, allowed, cancel, judges, cluster)
            return code or opening.outcome(opened)
    except queries.Rejected as rejected:
        return terminal.reject(rejected, name, as_json=as_json)


def _asks_catalog(arguments: argparse.Namespace) -> bool:
    """Whether the command asks about the headers of all games of a base, and not only of those found."""
    return bool(arguments.games or arguments.tree or _of_whole_results(arguments))


def _reads_games(arguments: argparse.Namespace) -> bool:
    """Whether this process reads games that workers of a cluster have searched."""
    return _asks_catalog(arguments) or not (arguments.count or arguments.hits is not None)


def _of_whole_results(arguments: argparse.Namespace) -> str:
    """An option that needs all that was found before anything is printed; empty without one."""
    if arguments.sort:
        return "--sort"
    if arguments.facets:
        return "--facet"
    if arguments.conditions:
        return "--where"
    return "" if arguments.duplicates else "--no-duplicates"


def _sound(base: base_model.Base, options: search_model.SearchOptions) -> search_model.SearchOptions:
    """The options without the games of parts that cannot be read. A message names each of these parts."""
    from cqlgui.tasks.databases import published

    within, left_out = published.sound(base, options.within)
    return data.replace(options, within=within, left_out=left_out)


_MOST_NAMED = 20
"""If more games in a row were left out for the same reason, they are not named one by one."""
_NO_ANNOTATION = "cqlgui search: --annotate changes nothing, for no PGN is written; name one with -o."

_NO_STUDY = "cqlgui search: --study changes nothing, for no PGN is written; name one with -o."

_NO_JUDGED = (
    "cqlgui search: --syzygy and an engine add columns to rows, and no rows are written: use --jsonl, --csv, "
    "or -o with"
)

_NO_FRAME = "cqlgui search: --normalise changes nothing, for no file is written; name one with -o."


def _no_rows(arguments: argparse.Namespace) -> str:
    """Why --group or --spans is refused: nothing that is printed or written has rows."""
    option = "--spans" if arguments.spans else "--group"
    forms = [f"--{name}" for name in ("batch", "json", "count", "tree") if getattr(arguments, name)]
    against = f"does not go with {forms[0]}" if forms else "needs a table"
    return (
        f"cqlgui search: {option} {against}. It says what a row of a table is: of --jsonl, --csv and --hits, "
        "or of -o with another ending than .pgn."
    )


def _header_input(header: nodes.Header, allowed: Sequence[Path]) -> Path:
    """The file that the query's header names as input. Raises `SourceError` if the header names no file, or
    if the file lies outside the allowed folders."""
    if header.input is None:
        raise errors.SourceError("No file to search in: name one, or put `input FILE.pgn` into the header.")
    path = Path(header.input)
    if not keeping.within(path, allowed):
        raise errors.SourceError(
            f"The query may not read {path}: name the file, or allow its folder with --allow-read."
        )
    return path


def _header_output(header: nodes.Header, allowed: Sequence[Path]) -> Path | None:
    """The output file that the query's header names; None if the header names no output file. If the folder
    of the file is not allowed, a message is printed and the result is None."""
    if header.output is None:
        return None
    path = Path(header.output)
    if keeping.within(path, allowed):
        return path.resolve()
    terminal.say(f"The query may not write {path}: use -o, or allow its folder with --allow-write.")
    return None


def _folders(allowed: Sequence[Path]) -> tuple[Path, ...]:
    """The paths in `allowed` that are folders. `run` has warned about the other paths."""
    return tuple(folder for folder in allowed if disk.is_folder(folder))


def _is_table(output: Path | None) -> bool:
    """Whether a file has rows and not games."""
    return output is not None and output.suffix.lower() != ".pgn"


def _once(
    arguments: argparse.Namespace,
    opened: base_model.ImportReport,
    text: str,
    name: str,
    options: search_model.SearchOptions,
    allowed: Sequence[Path],
    cancel: progress.CancelToken,
    judges: Judges | None,
    cluster: scheduling.Scheduler | None,
) -> int:
    base = opened.base
    bar = terminal.Bar()
    in_rows, at_once = arguments.jsonl or arguments.csv, False
    printed: _Rows | None = None
    if in_rows:
        query = queries.expanded(text, said=hit_details.said(options)).query
        assert query is not None
        # Whether a game is a duplicate is known when all games have been found, and so is the order of rows.
        # Facets count all hits.
        # An engine takes much longer than a search, so it begins when the search has ended, and a search that
        # fails is told before.
        late = _of_whole_results(arguments) or judges is not None or queries.sorts_games(query)
        at_once = not late
        variations = query.header.variations
        printed = _Rows(arguments, base, orbits.orbits(text), variations, judges, cancel, bar)
        printed.begin()
    narrow = _narrowing(arguments, base, text, cancel)

    # The search goes on while a thread prints what was found.
    found_now = ahead.Behind(printed.stream) if at_once and printed else contextlib.nullcontext()
    try:
        with found_now as behind:
            result = searching.search(
                base,
                text,
                options,
                cancel=cancel,
                progress=bar,
                on_hits=None if behind is None else behind.put,
                on_messages=functools.partial(_say_messages, bar),
                scheduler=cluster,
            )
    finally:
        bar.end()
    _check(base, result, options)
    if not arguments.duplicates and not result.cancelled:
        result = _without_duplicates(base, result, cancel)
    result = narrow(result)
    if printed and not at_once and len(result.games) and not (judges is not None and result.cancelled):
        printed.whole(result)
    cut = printed is not None and printed.cut
    _say_failures(result)
    if arguments.json:
        terminal.put_object(answer(base, result, values=arguments.values))
    elif arguments.tree:
        from cqlgui.tasks.analysis import continuations

        found_lines = continuations.lines(
            base, result, arguments.tree, normalised=arguments.normalise, cancel=cancel
        )
        terminal.put_object(continuations.tree(found_lines, arguments.tree, cancel=cancel))
    elif arguments.count:
        print(f"{plurals.games(len(result.games))}, {plurals.positions(result.positions)}")
    elif not in_rows and arguments.output is None:
        _table(base, result, cancel)
    if not arguments.json:
        # With --jsonl and --csv, stdout holds only hits, because other programs read stdout.
        write = terminal.say if in_rows else print
        for one in result.persistent:
            write(f"{one.name}: {one.text}")
    output = None if result.cancelled else arguments.output
    unwritten = "" if output is None else _hindrance(output, opened, result)
    if unwritten:
        terminal.say(f"Nothing was written to {output}, as {unwritten}.")
    elif output is not None:
        from cqlgui.tasks.export import exporting

        if judges is not None:
            judges.progress = bar
        arranged: exporting.Arranged | None = None
        if arguments.sort:
            from cqlgui.tasks.analysis import sorted_rows

            arranged = sorted_rows.arranged(
                base,
                rows=_shape(arguments),
                sorts=arguments.sort,
                normalise=arguments.normalise,
                cancel=cancel,
            )
        try:
            report = exporting.export(
                base,
                result,
                output,
                annotate=arguments.annotate,
                normalise=arguments.normalise,
                rows=_shape(arguments),
                study=arguments.study,
                large=arguments.large,
                overwrite=arguments.overwrite,
                judges=judges,
                arranged=arranged,
                allowed=allowed,
                cancel=cancel,
                progress=bar,
            )
        except exporting.TooLarge as question:
            raise errors.CqlguiError(f"{question} Add --large to write it.") from None
        except exporting.Existing as fault:
            raise errors.CqlguiError(f"{fault} Add --overwrite to replace it.") from None
        bar.end()
        more = f" to {report.files[-1].name} ({len(report.files)} files)" if len(report.files) > 1 else ""
        terminal.say(f"{_amount(report)} written to {report.path}{more}")
        if arguments.study:
            _say_older(output, report)
        if report.as_played:
            terminal.say(f"{report.as_played} of them as they were played: {exporting.AS_PLAYED}")
    if result.games_searched or not result.cancelled:
        _say_outcome(result, len(result.games), result.positions)
    if result.stopped is not None:
        _say_stop(result.stopped, text, name)
    if cut:
        terminal.say("Stopped before all of these hits were printed.")
    if result.cancelled:
        unwritten = "" if arguments.output is None else f" Nothing was written to {arguments.output}."
        terminal.say(f"Stopped before the search had ended.{unwritten}")
    if result.cancelled or cut:
        return terminal.CANCELLED
    if result.hopeless or unwritten:
        return terminal.REJECTED
    return terminal.USAGE if result.left_out else terminal.OK


class _Rows:
    """Prints rows of hits as JSON lines or CSV. `cut` tells whether some rows were not printed, because the
    command was cancelled."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        base: base_model.Base,
        found_orbits: Sequence[hit_model.Orbit],
        variations: bool,
        judges: Judges | None,
        cancel: progress.CancelToken,
        bar: terminal.Bar,
    ) -> None:
        self.cut = False
        self._arguments = arguments
        self._base = base
        self._orbits = found_orbits
        self._variations = variations
        self._judges = judges
        self._cancel = cancel
        self._bar = bar
        self._shape = _shape(arguments)
        self._fields = self._shape.fields + (() if judges is None else judges.fields)

    def begin(self) -> None:
        """Print what comes before the rows."""
        if self._arguments.csv:
            from cqlgui.tasks.export.formats import csv_lines

            print(csv_lines.head(self._fields), end="")

    def stream(self, batches: Iterator[FoundGames]) -> None:
        """Print the rows of some games at a time, in the order of the games. A fault ends the search, too."""
        try:
            self._print((list(found), found) for found in batches)
        except BaseException:
            self._cancel.cancel()
            raise

    def whole(self, result: search_model.SearchResult) -> None:
        """Print the rows of a result, in its order."""
        if self._cancel.cancelled:
            self.cut = True
        elif self._judges is not None:
            self._judges.progress = self._bar
            expected = {"hits": len(result.games.columns), "games": len(result.games)}
            self._judges.expect(expected.get(self._shape.value))
            from cqlgui.tasks.export import records

            for table in records.judged(self._sorted(result), self._judges):
                self._put(self._texts([table]))
            self._bar.end()
        elif self._arguments.sort:
            self._put(self._texts(self._sorted(result)))
        else:
            self._print(iter([(result.order, result.games)]))

    def _print(self, batches: Iterator[tuple[Sequence[int], FoundGames]]) -> None:
        from cqlgui.tasks.export.formats import hit_lines

        if self._arguments.jsonl:
            lines = hit_lines.lines(
                self._base, batches, self._orbits, variations=self._variations, rows=self._shape
            )
            self._put(lines)
        else:
            self._put(self._texts(itertools.chain.from_iterable(itertools.starmap(self._tables, batches))))

    def _tables(self, order: Sequence[int], found: FoundGames) -> Iterator[records.Table]:
        from cqlgui.tasks.export import records

        return records.tables(
            self._base, found, order, self._orbits, variations=self._variations, rows=self._shape
        )

    def _sorted(self, result: search_model.SearchResult) -> Iterator[records.Table]:
        if not self._arguments.sort:
            return self._tables(result.order, result.games)
        from cqlgui.tasks.analysis import sorted_rows

        return sorted_rows.tables(
            self._base, result, rows=self._shape, sorts=self._arguments.sort, cancel=self._cancel
        )

    def _texts(self, tables: Iterable[records.Table]) -> Iterator[bytes]:
        from cqlgui.tasks.export import records
        from cqlgui.tasks.export.formats import csv_lines, hit_lines

        if self._arguments.csv:
            yield from map(hit_lines.encoded, csv_lines.lines(tables, self._fields))
            return
        for table in tables:
            lines = (hit_lines.quoted(row) + "\n" for row in records.of_tables([table]))
            yield hit_lines.encoded("".join(lines))

    def _put(self, pieces: Iterator[bytes]) -> None:
        for piece in ahead.each(pieces):
            with self._bar.away():
                if not terminal.put_lines(piece, self._cancel):
                    self.cut = True
                    return
                sys.stdout.flush()


def _refuse_numbered(files: Sequence[Path]) -> None:
    """Raise `CqlguiError` if there are numbered files of a study. How many files a search writes is not known
    before, and nobody could tell the chapters of two runs apart."""
    if files:
        raise errors.CqlguiError(
            f"{files[0]} exists, perhaps from an earlier run. Move it away, or add --overwrite."
        )


def _say_older(output: Path, report: search_model.ExportReport) -> None:
    """Name the files that an earlier `--study` with more chapters has left."""
    from cqlgui.tasks.export.formats import studies

    written = {one.resolve() for one in report.files}
    standing = [output, *studies.numbered_files(output)]
    older = [one.name for one in standing if disk.stands(one) and one.resolve() not in written]
    if older:
        terminal.say(f"Older files were left alone: {', '.join(older)}")


def _against_hits(arguments: argparse.Namespace) -> str:
    """An option that does not go with --hits; empty without --hits, or if all options do."""
    if arguments.hits is None:
        return ""
    forms = ("output", "batch", "json", "jsonl", "csv", "tree", "values", "limit", "syzygy", "uci")
    given = [f"--{name}" for name in forms if getattr(arguments, name)]
    given += ["--facet"] if arguments.facets else []
    given += ["--where"] if arguments.conditions else []
    given += [] if arguments.duplicates else ["--no-duplicates"]
    return {"--uci": "an engine", "--output": "-o"}.get(given[0], given[0]) if given else ""


def _to_files(
    arguments: argparse.Namespace,
    base: base_model.Base,
    text: str,
    name: str,
    options: search_model.SearchOptions,
    cancel: progress.CancelToken,
    cluster: scheduling.Scheduler | None,
) -> int:
    """Let those who search write the hits into a folder, and print numbers."""
    from cqlgui.store import places
    from cqlgui.tasks.cluster import hit_files

    bar = terminal.Bar()
    place = places.spelt(arguments.hits)

    try:
        report = hit_files.write(
            base,
            text,
            options,
            place,
            rows=_shape(arguments),
            normalise=arguments.normalise,
            scheduler=cluster,
            cancel=cancel,
            progress=bar,
            on_messages=functools.partial(_say_messages, bar),
        )
    finally:
        bar.end()
    _say_failures(report)
    if arguments.count:
        print(f"{plurals.games(report.games)}, {plurals.positions(report.hits)}")
    least = "At least " if report.at_least else ""
    what = f"{least}{plurals.games(report.games)}, {plurals.hits(report.hits)}"
    count = len(report.files)
    terminal.say(f"{what} written to {place} ({count} {'file' if count == 1 else 'files'})")
    _say_outcome(report, report.games_matched, report.positions_matched)
    if report.stopped is not None:
        _say_stop(report.stopped, text, name)
    if report.cancelled:
        terminal.say("Stopped before the search had ended.")
    if not report.complete:
        terminal.say(f"The hits in {place} are not complete: it has no {hit_files.COMPLETE}.")
    if report.cancelled:
        return terminal.CANCELLED
    if report.hopeless:
        return terminal.REJECTED
    return terminal.USAGE if report.left_out else terminal.OK


def _without_duplicates(
    base: base_model.Base, result: search_model.SearchResult, cancel: progress.CancelToken
) -> search_model.SearchResult:
    """The result without the games that are duplicates of another game of the result. A message says what was
    left out."""
    from cqlgui.tasks.likeness import duplicates

    bar = terminal.Bar()
    try:
        left, words = duplicates.without(base, result, cancel=cancel, progress=bar)
    finally:
        bar.end()
    terminal.say(f"{words}.")
    return left


def _narrowing(
    arguments: argparse.Namespace,
    base: base_model.Base,
    text: str,
    cancel: progress.CancelToken,
) -> Callable[[search_model.SearchResult], search_model.SearchResult]:
    """What keeps the hits that `--facet` and `--where` ask for. Raises `TermError` for a value that does not
    exist, before the search."""
    steps: list[Callable[[search_model.SearchResult, progress.CancelToken], search_model.SearchResult]] = []
    if arguments.facets:
        from cqlgui.tasks.analysis import attributes, facet_terms, facets

        known = attributes.of_base(base)
        choice = facet_terms.parse(arguments.facets, known, orbits.orbits(text))
        steps.append(lambda result, token: facets.narrowed(facets.sheet(known, result, cancel=token), choice))
    if arguments.conditions:
        from cqlgui.tasks.pictures import terms

        steps += [functools.partial(terms.parse(one, base), base) for one in arguments.conditions]

    def narrow(result: search_model.SearchResult) -> search_model.SearchResult:
        # What was found before a search was stopped is narrowed to the end.
        token = progress.CancelToken() if result.cancelled else cancel
        for step in steps:
            result = step(result, token)
        return result

    return narrow


def _amount(report: search_model.ExportReport) -> str:
    """How much was written, in words."""
    from cqlgui.tasks.export import hit_table

    games, hits = plurals.games(report.games), plurals.hits(report.hits)
    if report.rows == hit_table.Rows.GAMES.value:
        return f"{games}, one row each ({hits}),"
    if report.rows == hit_table.Rows.SPANS.value:
        return f"{games}, {hits} as runs of plies,"
    return f"{games}, {hits}"


def _shape(arguments: argparse.Namespace) -> hit_table.Rows:
    """What a row of the printed or written table is."""
    from cqlgui.tasks.export import hit_table

    if arguments.spans:
        return hit_table.Rows.SPANS
    return hit_table.Rows.GAMES if arguments.group else hit_table.Rows.HITS


def _hindrance(output: Path, opened: base_model.ImportReport, result: search_model.SearchResult) -> str:
    """The reason why no output is written; empty if the output may be written. An existing file must not be
    overwritten by an incomplete result."""
    if result.hopeless:
        return "the search failed"
    if disk.is_file(output):
        if opened.unreadable or opened.damaged:
            return "not all of the files could be read"
        if result.failed_games:
            return "some games could not be searched"
    return ""


def _say_messages(bar: terminal.Bar, said: Sequence[hit_model.QueryMessage]) -> None:
    """Print messages of the query."""
    # A thread may be printing rows, perhaps to the same place.
    with bar.away():
        for message in said:
            # All lines of a message after its first line are indented, so that they do not look like messages
            # of the program.
            terminal.say(message.text.replace("\n", "\n  "))


def _say_failures(result: search_model.SearchResult | search_model.HitsReport) -> None:
    """Print which games could not be searched."""
    for (source, reason), alike in itertools.groupby(
        result.failed_games, key=lambda failed: (failed.source, failed.reason)
    ):
        games = list(alike)
        if len(games) > _MOST_NAMED:
            # The games of a file that has changed fail together.
            many = f"{len(games)} games from game {games[0].game} to game {games[-1].game} were left out"
            terminal.say(f"{source}:{games[0].line}: {many}: {reason}")
            continue
        for failed in games:
            terminal.say(f"{source}:{failed.line}: game {failed.game} was left out: {reason}")


def _say_outcome(
    result: search_model.SearchResult | search_model.HitsReport, games: int, positions: int
) -> None:
    """Print how a search went. `games` and `positions` match."""
    for words in result.notices:
        terminal.say(words)
    for words in result.left_out:
        terminal.say(f"Left out: {words}")
    failures = len(result.failed_games)
    left_out = f", {failures} could not be searched" if failures else ""
    match = "matches" if games == 1 else "match"
    # At the limit, it depends on chance how many games were searched.
    limit = result.options.limit if isinstance(result, search_model.SearchResult) else None
    limited = limit is not None and games >= limit
    of_all = plurals.games(games) if limited else f"{games} of {plurals.games(result.games_searched)}"
    terminal.say(
        f"{of_all} {match} "
        f"({plurals.positions(positions)}){left_out}, {result.seconds:.2f} seconds, "
        f"{_engine(result.engine, result.reason)}"
    )


def _say_stop(stop: search_model.Stop, text: str, name: str) -> None:
    """Print why the search stopped, with the place in the query if the place is known."""
    message = f"The search stopped at game {stop.game}: {stop.reason}"
    if stop.offset < 0:
        terminal.say(f"{name}: error[stopped]: {message}")
        return
    finding = diagnostics.Diagnostic(diagnostics.Span(stop.offset, stop.length), "stopped", message)
    terminal.say(diagnostics.render(text, finding, name))


def _check(
    base: base_model.Base, result: search_model.SearchResult, options: search_model.SearchOptions
) -> None:
    """Raise `SourceError` if details of hits are printed and a source with hits has changed during the
    search."""
    if options.details in (search_model.Details.COMMENTS, search_model.Details.ALL):
        with sources.Readers(base) as readers:
            for source in base.sources:
                if result.games.columns.of_games(source.first, source.first + source.games):
                    readers.of(source.first)[0].check()


def _engine(engine: str, reason: str) -> str:
    return f"{engine}: {reason}" if reason else engine


def answer(base: base_model.Base, result: search_model.SearchResult, *, values: bool) -> dict[str, Any]:
    """The JSON object that `search --json` prints; with `values`, the object also has the values of the hits,
    the order of the games and the sort keys."""
    from cqlgui.tasks.export.formats import hit_lines

    found: dict[str, Any] = {
        "games": list(result.order),
        "positions": terminal.Items(hit_lines.positions(result)),
        "count": len(result.order),
        "sources": [
            {"file": str(source.path), "first": source.first, "games": source.games}
            for source in base.sources
        ],
        "bad_games": sum(sources.headers(source).bad_count(source.id) for source in base.sources),
        "orbit": [
            {
                "transform": orbit.transform,
                "span": {"offset": orbit.offset, "length": orbit.length},
                "elements": [
                    {
                        "text": element.text,
                        "transform": element.transform,
                        "words": element.words,
                        "games": element.games,
                        "positions": element.positions,
                    }
                    for element in orbit.elements
                ],
            }
            for orbit in result.orbits
        ],
        "engine": result.engine,
        "reason": result.reason,
        "seconds": round(result.seconds, 6),
    }
    found |= _written(result)
    if result.failed_games:
        found["failed_games"] = [[failed.game, failed.reason] for failed in result.failed_games]
    if result.stopped is not None:
        stop = result.stopped
        found["stopped"] = {"game": stop.game, "message": stop.reason}
        if stop.offset >= 0:
            found["stopped"] |= {"offset": stop.offset, "length": stop.length}
    if result.cancelled:
        found["cancelled"] = True
    if result.left_out:
        found["left_out"] = list(result.left_out)
    if values:
        found["values"] = [
            [game, hit.positionid, hit.value]
            for game in result.order
            for hit in result.games[game].hits
            if hit.value is not None
        ]
        found["order"] = list(result.order)
        if result.sort_keys:
            by_text: dict[str, Any] = {}
            found["sortkeys"] = by_text
            for key, of_games in zip(result.sort_keys, _sort_values(result), strict=True):
                # Two sort keys may have equal texts. For example, a query may give one key the text
                # `matchcount`, and `matchcount` may be the default text of another key.
                name, number = key.doc, 1
                while name in by_text:
                    number += 1
                    name = f"{key.doc} ({number})"
                by_text[name] = of_games
    return found


def _written(result: search_model.SearchResult) -> dict[str, Any]:
    """What the query writes (comments, messages, tags, sort values ...), in output order; empty fields are
    left out."""
    told = result.games.told
    games = [told[game] for game in result.order if game in told]
    from cqlgui.tasks.export.formats import hit_lines

    found: dict[str, Any] = {
        "comments": terminal.Items(hit_lines.comments(result)),
        "messages": [[message.game, message.text] for message in result.messages],
        "tags": [[one.game, name, text] for one in games for name, text in one.tags],
        "removed_comments": [[one.game, positionid] for one in games for positionid in one.removed],
        "sort": [
            {
                "doc": key.doc,
                "order": "descending" if key.descending else "ascending",
                "quiet": key.quiet,
                "values": values,
            }
            for key, values in zip(result.sort_keys, _sort_values(result), strict=True)
        ],
    }
    found["persistent"] = {one.name: one.value for one in result.persistent}
    if result.messages_dropped:
        found["messages_dropped"] = result.messages_dropped
    return {name: value for name, value in found.items() if value}


def _sort_values(result: search_model.SearchResult) -> list[list[list[Any]]]:
    """For each sort key, the pairs [game, value]; games without a value are left out."""
    keys = result.games.sort_keys()
    return [
        [[game, value] for game in result.order if (value := keys[game][place]) is not None]
        for place in range(len(result.sort_keys))
    ]


def _batch(arguments: argparse.Namespace) -> int:
    with terminal.interruptible() as cancel:
        lines = _lines(arguments.batch)
        opened = opening.open_base(arguments.files, cancel)
        base = opened.base
        within = _among(arguments, base, search_model.SearchOptions()).within
        code = opening.outcome(opened)
        for number, line in lines:
            if cancel.cancelled:
                break
            if not line.strip():
                continue
            item = _item(line)
            if item is None:
                message = f'line {number} is not an object like {{"id": ..., "query": "..."}}'
                terminal.put({"id": None, "error": _bare_error("batch", message)})
                continue
            if not isinstance(item.get("variations", False), bool):
                message = f'"variations" in line {number} must be true or false'
                terminal.put({"id": item.get("id"), "error": _bare_error("batch", message)})
                continue
            found: dict[str, Any]
            try:
                variations = bool(arguments.variations or item.get("variations"))
                options = data.replace(_options(arguments, variations, _details(arguments)), within=within)
                expanded = queries.expanded(item["query"], said=options.settings)
                _refuse_engine(arguments, expanded)
                assert expanded.query is not None
                if expanded.query.header.output is not None:
                    terminal.say(f"Line {number}: --batch prints JSON, so the query's output is not written.")
                result = searching.search(base, item["query"], options, cancel=cancel)
                if result.cancelled:
                    break
                _check(base, result, options)
                found = answer(base, result, values=arguments.values)
            except queries.Rejected as rejected:
                found = {"error": terminal.error_object(rejected.text, rejected.diagnostics[0])}
            except errors.SourceError as changed:
                # Other queries may have no hits in the file that has changed.
                code, found = terminal.USAGE, {"error": _bare_error("source", str(changed))}
            terminal.put_object({"id": item.get("id"), **found})
        return terminal.CANCELLED if cancel.cancelled else code


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    text = queries.read_query_file(path) if str(path) != "-" else terminal.query_text(None, path)[0]
    # Only a line feed ends a line, because a query may contain other characters that `splitlines` takes for
    # line breaks.
    return enumerate(text.split("\n"), 1)


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"JSON has no {word}.")


def _finite(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _refuse(word)


def _item(line: str) -> dict[str, Any] | None:
    try:
        item = json.loads(line, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) and isinstance(item.get("query"), str) else None


def _details(arguments: argparse.Namespace) -> search_model.Details:
    """The details of the hits that are needed for the printed output. An export fetches its own details."""
    if arguments.values or arguments.jsonl or arguments.csv:
        return search_model.Details.ALL
    if arguments.json or arguments.batch is not None:
        return search_model.Details.COMMENTS
    if arguments.tree or arguments.facets or arguments.conditions:
        return search_model.Details.NONE
    return search_model.Details.HITS if arguments.count or arguments.output else search_model.Details.NONE


def _options(
    arguments: argparse.Namespace, variations: bool, details: search_model.Details
) -> search_model.SearchOptions:
    said = settings.Settings(
        variations=variations,
        mainline=arguments.mainline,
        gamenumber=arguments.gamenumber,
        matchcount=arguments.matchcount,
        matchstring=arguments.matchstring and terminal.valid_text(arguments.matchstring, "The match string"),
        quiet=arguments.quiet,
        silent=arguments.silent,
        header_comment=not arguments.noheader,
        smart_comments=not arguments.alwayscomment,
        sort_comments=not arguments.nosortcomments,
        unique_comments=not arguments.nouniquecomments,
        remove_comments=not arguments.noremovecomment,
        set_tags=not arguments.nosettag,
    )
    return search_model.SearchOptions(
        limit=arguments.limit,
        workers=arguments.threads,
        settings=said,
        allow_read=_folders(arguments.allow_read),
        allow_write=_folders(arguments.allow_write),
        kept=_kept(arguments),
        compiled=arguments.engine != "interpreter",
        pruned=arguments.pruning,
        details=details,
    )


def _among(
    arguments: argparse.Namespace, base: base_model.Base, options: search_model.SearchOptions
) -> search_model.SearchOptions:
    """The options with the games that `--games` chooses. Raises `FilterError` if the terms cannot be
    understood."""
    if not arguments.games:
        return options
    from cqlgui.tasks.databases import games

    within = games.fitting(base, arguments.games)
    if not len(within):
        terminal.say(f"cqlgui search: no game of {base.games} fits {arguments.games}")
    return data.replace(options, within=within)


def _kept(arguments: argparse.Namespace) -> tuple[tuple[Path, str], ...]:
    """The files that the user named as input. Each file has a phrase for messages, such as "is the query".
    These files must not be overwritten, even if they could not be read."""
    named = [(arguments.query_file, "is the query"), (arguments.batch, "is the list of queries")]
    found = [
        (Path("/dev/stdin") if str(path) == "-" else path, what) for path, what in named if path is not None
    ]
    return (*found, *((path, "is to be searched") for path in arguments.files))


def _refuse_engine(arguments: argparse.Namespace, expanded: transforms.Expanded) -> None:
    """With `--engine compiled`, raise `Rejected` for a query that cannot be compiled as a whole."""
    if arguments.engine == "compiled":
        plan = sieving.plan(expanded)
        if plan.engine != "compiled":
            finding = diagnostics.Diagnostic(
                plan.span or diagnostics.Span(0, 0),
                "not-yet",
                f"This cannot be compiled: {plan.reason}.",
                "Leave --engine out, and the interpreter does what machine code cannot.",
            )
            raise queries.Rejected(expanded.text, [finding])


def _bare_error(code: str, message: str) -> dict[str, Any]:
    finding = diagnostics.Diagnostic(diagnostics.NOWHERE, code, message)
    return terminal.error_object("", finding)


def _table(base: base_model.Base, result: search_model.SearchResult, cancel: progress.CancelToken) -> None:
    from cqlgui.tasks.databases import games

    for start in range(0, len(result.order), 200):
        if not result.cancelled:
            cancel.raise_if_cancelled()
        chunk = result.order[start : start + 200]
        for row in games.rows(base, chunk):
            hits = result.games[row.game].hits
            words = {
                result.orbits[match.orbit].elements[match.element].words
                for hit in hits
                for match in hit.matches[:1]
                if 0 <= match.orbit < len(result.orbits)
            }
            how = f"  {', '.join(sorted(words))}" if words else ""
            places = " ".join(str(hit.positionid) for hit in hits[:8]) + (" ..." if len(hits) > 8 else "")
            players = f"{row.white or '?'} - {row.black or '?'}"
            terminal.row(f"{row.game}: {players} {row.result} {row.date}  at {places}{how}")
