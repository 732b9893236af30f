"""`cqlgui study`: runs many queries over several bases and makes one table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cqlgui.base import plurals
from cqlgui.base.files import disk
from cqlgui.cli import judging, terminal
from cqlgui.tasks.studies import study, study_bases, study_table, study_text


def run(arguments: argparse.Namespace) -> int:
    """Run a study; prints its table, and writes it to a file with `-o`. With `--list`, only list the shipped
    studies."""
    if arguments.list:
        _print_shipped()
        return terminal.OK
    if arguments.study is None:
        raise study_text.StudyError("Which study? Name a file, or a shipped study (--list shows them).")
    path = study_text.located(arguments.study)
    asked = study_text.read(path)
    output: Path | None = arguments.output
    if output is not None:
        # Before the search, refuse an output that cannot be written.
        study_table.checked_ending(output)
        texts = [Path(one.where) for one in asked.questions]
        read = [path, *texts, *(arguments.files or asked.bases)]
        terminal.refuse_existing(output, overwrite=arguments.overwrite, read=read)
    wanted = judging.wanted(arguments)
    with terminal.interruptible() as cancel, judging.opened(wanted, cancel) as judges:
        bar = terminal.Bar()

        def tell(message: str) -> None:
            bar.end()
            terminal.say(message)

        try:
            opened = study_bases.open_bases(
                asked, arguments.files, cancel=cancel, progress=bar, on_message=tell
            )
        finally:
            bar.end()
        listed = opened.bases
        if output is not None:
            study_table.refuse(listed, [path, *texts], output)
        try:
            report = study.run(
                asked,
                listed,
                resume=arguments.resume,
                workers=arguments.threads,
                cancel=cancel,
                progress=bar,
                on_fault=lambda fault: tell(fault.message),
                judges=judges,
            )
        finally:
            bar.end()
    if arguments.json:
        terminal.put(study_table.answer(report))
    elif output is None and report.parts:
        _print(report)
    done = f"{len(report.parts)} of {plurals.counted(report.wanted, 'search', 'searches')} done"
    again = f", {report.again} of them in an earlier run" if report.again else ""
    if report.cancelled:
        unwritten = "" if output is None else f" Nothing was written to {output}."
        terminal.say(f"Stopped: {done}{again}.{unwritten} With --resume the study goes on from here.")
        return terminal.CANCELLED
    unwritten = "" if output is None else _hindrance(output, report)
    if unwritten:
        terminal.say(f"Nothing was written to {output}, as {unwritten}.")
    elif output is not None:
        study_table.write(report, output, overwrite=arguments.overwrite)
        rows = plurals.counted(len(study_table.rows(report)), "row", "rows")
        terminal.say(f"{rows} written to {output}")
    terminal.say(f"{done}{again}, {report.seconds:.2f} seconds")
    if report.failed:
        return terminal.REJECTED
    return terminal.USAGE if opened.unreadable else terminal.OK


def _hindrance(output: Path, report: study.Report) -> str:
    """The reason why no table is written; empty if it may be written. A table that lacks rows replaces no
    file."""
    if report.failed and not report.parts:
        return "no query could be searched"
    if report.failed and disk.stands(output):
        return "the table would lack rows, and the file is kept"
    return ""


def _print_shipped() -> None:
    """Print the names and the titles of the shipped studies."""
    known = study_text.shipped()
    width = max(map(len, known), default=0)
    for name, path in known.items():
        asked = study_text.read(path)
        queries = plurals.counted(len(asked.questions), "query", "queries")
        terminal.row(f"{name.ljust(width)}  {asked.title} ({queries})")


def _print(report: study.Report) -> None:
    """Print the table for a person: columns of equal width."""
    groups = any(row["group"] for row in study_table.rows(report))
    used = [
        name
        for name in study_table.fields(report)
        if (name not in ("group", "band") or groups) and (name != "base" or len(report.bases) > 1)
    ]
    lines = [[_HEADS.get(name, name) for name in used]]
    for row in study_table.rows(report):
        lines.append([terminal.one_line(study_table.shown(name, row[name])) for name in used])
    widths = [max(len(line[place]) for line in lines) for place in range(len(used))]
    for line in lines:
        terminal.row("  ".join(map(_padded, line, widths, map(_is_number, used))).rstrip())


_HEADS: dict[str, Any] = {
    "share": "share %",
    "score": "score %",
    "first_ply": "first ply",
    "won": "won %",
    "drawn": "drawn %",
    "lost": "lost %",
}


def _is_number(field: str) -> bool:
    return field not in ("query", "base", "group", "band")


def _padded(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)
