"""Writes the hits into files: into the file of `-o`, or into the folder of `--hits`."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cqlgui.base import errors, plurals, progress
from cqlgui.base.files import disk
from cqlgui.cli import terminal
from cqlgui.cli.searching import asking, saying
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import keeping, scheduling

if TYPE_CHECKING:
    from cqlgui.tasks.judging.judging import Judges


def checked_ending(arguments: argparse.Namespace, text: str, options: search_model.SearchOptions) -> str:
    """The ending of the file that `-o` or the query names, in lower case. Raises `CqlguiError` if no file of
    this name may be written."""
    from cqlgui.tasks.export import exporting
    from cqlgui.tasks.export.formats import studies

    ending = exporting.checked_ending(arguments.output)
    # A file that the search reads is never replaced, and that is told first.
    keeping.refuse(None, text, options, arguments.output)
    if arguments.study and ending == ".pgn" and not arguments.overwrite:
        _refuse_numbered(studies.numbered_files(arguments.output))
    terminal.refuse_existing(arguments.output, overwrite=arguments.overwrite)
    return ending


def export(
    arguments: argparse.Namespace,
    opened: base_model.ImportReport,
    result: search_model.SearchResult,
    allowed: Sequence[Path],
    judges: Judges | None,
    cancel: progress.CancelToken,
    bar: terminal.Bar,
) -> str:
    """Write the hits into the file that `-o` or the query names, and say how much was written. Returns why
    nothing was written; empty if the file was written."""
    base, output = opened.base, arguments.output
    unwritten = _hindrance(output, opened, result)
    if unwritten:
        terminal.say(f"Nothing was written to {output}, as {unwritten}.")
        return unwritten
    from cqlgui.tasks.export import exporting

    if judges is not None:
        judges.progress = bar
    arranged: exporting.Arranged | None = None
    if arguments.sort:
        from cqlgui.tasks.analysis import sorted_rows

        arranged = sorted_rows.arranged(
            base,
            rows=asking.shape(arguments),
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
            rows=asking.shape(arguments),
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
    except errors.Cancelled as stopped:
        raise errors.Cancelled(f"{stopped} Nothing was written to {output}.") from None
    bar.end()
    more = f" to {report.files[-1].name} ({len(report.files)} files)" if len(report.files) > 1 else ""
    terminal.say(f"{_amount(report)} written to {report.path}{more}")
    if arguments.study:
        _say_older(output, report)
    if report.as_played:
        terminal.say(f"{report.as_played} of them as they were played: {exporting.AS_PLAYED}")
    return ""


def write_hits(
    arguments: argparse.Namespace,
    base: base_model.Base,
    text: str,
    name: str,
    options: search_model.SearchOptions,
    cancel: progress.CancelToken,
    cluster: scheduling.Scheduler | None,
) -> int:
    """Let those who search write the hits into a folder, and print numbers. Returns the exit code."""
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
            rows=asking.shape(arguments),
            normalise=arguments.normalise,
            scheduler=cluster,
            cancel=cancel,
            progress=bar,
            on_messages=functools.partial(saying.messages, bar),
        )
    finally:
        bar.end()
    saying.failures(report)
    if arguments.count:
        print(f"{plurals.games(report.games)}, {plurals.positions(report.hits)}")
    least = "At least " if report.at_least else ""
    what = f"{least}{plurals.games(report.games)}, {plurals.hits(report.hits)}"
    count = len(report.files)
    terminal.say(f"{what} written to {place} ({count} {'file' if count == 1 else 'files'})")
    saying.outcome(report, report.games_matched, report.positions_matched)
    if report.stopped is not None:
        saying.stopped(report.stopped, text, name)
    if report.cancelled:
        terminal.say("Stopped before the search had ended.")
    if not report.complete:
        terminal.say(f"The hits in {place} are not complete: it has no {hit_files.COMPLETE}.")
    if report.cancelled:
        return terminal.CANCELLED
    if report.hopeless:
        return terminal.REJECTED
    return terminal.USAGE if report.left_out else terminal.OK


def _refuse_numbered(files: Sequence[Path]) -> None:
    """Raise `CqlguiError` if there are numbered files of a study. How many files a search writes is not known
    before, and nobody could tell the chapters of two runs apart."""
    if files:
        raise errors.CqlguiError(
            f"{files[0]} exists, perhaps from an earlier run. Move it away, or add --overwrite."
        )


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


def _amount(report: search_model.ExportReport) -> str:
    """How much was written, in words."""
    from cqlgui.tasks.export import hit_table

    games, hits = plurals.games(report.games), plurals.hits(report.hits)
    if report.rows == hit_table.Rows.GAMES.value:
        return f"{games}, one row each ({hits}),"
    if report.rows == hit_table.Rows.SPANS.value:
        return f"{games}, {hits} as runs of plies,"
    return f"{games}, {hits}"


def _say_older(output: Path, report: search_model.ExportReport) -> None:
    """Name the files that an earlier `--study` with more chapters has left."""
    from cqlgui.tasks.export.formats import studies

    written = {one.resolve() for one in report.files}
    standing = [output, *studies.numbered_files(output)]
    older = [one.name for one in standing if disk.stands(one) and one.resolve() not in written]
    if older:
        terminal.say(f"Older files were left alone: {', '.join(older)}")
