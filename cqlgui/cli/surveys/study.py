"""`cqlgui study`: runs many queries over several bases and makes one table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cqlgui.base import errors, progress
from cqlgui.cli import opening, terminal
from cqlgui.tasks.results import base_model
from cqlgui.tasks.studies import study, study_table, study_text


def run(arguments: argparse.Namespace) -> int:
    """Run a study; prints its table, and writes it to a file with `-o`."""
    path = study_text.located(arguments.study)
    asked = study_text.read(path)
    files: list[Path] = arguments.files or list(asked.bases)
    if not files:
        raise study_text.StudyError(f"{path} names no bases: add `bases`, or name files after the study.")
    output: Path | None = arguments.output
    if output is not None:
        # Before the search, refuse an output that cannot be written.
        study_table.checked_ending(output)
    with terminal.interruptible() as cancel:
        opened = [_opened(asked, file, cancel, named=bool(arguments.files)) for file in files]
        listed = [study.StudyBase(name, one.base) for name, one in zip(names(files), opened, strict=True)]
        if output is not None:
            texts = [Path(one.where) for one in asked.questions]
            study_table.refuse(listed, [path, *texts], output)
        bar = terminal.Bar()

        def say(fault: study.Fault) -> None:
            bar.end()
            terminal.say(fault.message)

        try:
            report = study.run(
                asked,
                listed,
                resume=arguments.resume,
                workers=arguments.threads,
                cancel=cancel,
                progress=bar,
                on_fault=say,
            )
        finally:
            bar.end()
    if arguments.json:
        terminal.put(study_table.answer(report))
    elif output is None:
        _print(report)
    done = f"{len(report.parts)} of {report.wanted} searches done"
    again = f", {report.again} of them in an earlier run" if report.again else ""
    if report.cancelled:
        unwritten = "" if output is None else f" Nothing was written to {output}."
        terminal.say(f"Stopped: {done}{again}.{unwritten} With --resume the study goes on from here.")
        return terminal.CANCELLED
    if output is not None:
        study_table.write(report, output)
        terminal.say(f"{len(study_table.rows(report))} rows written to {output}")
    terminal.say(f"{done}{again}, {report.seconds:.2f} seconds")
    if report.failed:
        return terminal.REJECTED
    return max(map(opening.outcome, opened))


def _opened(
    asked: study_text.Study, file: Path, cancel: progress.CancelToken, *, named: bool
) -> base_model.ImportReport:
    """Open a base. The error for a base that the study names has the place in the study."""
    try:
        return opening.open_base([file], cancel)
    except errors.SourceError as error:
        if named:
            raise
        raise study_text.StudyError(f"{asked.bases_place}{error}") from error


def names(files: Sequence[Path]) -> list[str]:
    """The names of the bases in the table: those of the files, with their folders where two files have one
    name. Raises `StudyError` for a file that is listed twice."""
    short = [file.name for file in files]
    long = [name if short.count(name) == 1 else str(file) for name, file in zip(short, files, strict=True)]
    for number, name in enumerate(long):
        if name in long[:number]:
            raise study_text.StudyError(f"The base {name} is listed twice.")
    return long


def _print(report: study.Report) -> None:
    """Print the table for a person: columns of equal width."""
    groups = any(row["group"] for row in study_table.rows(report))
    used = [
        name
        for name in study_table.FIELDS
        if (name not in ("group", "band") or groups) and (name != "base" or len(report.bases) > 1)
    ]
    lines = [[_HEADS.get(name, name) for name in used]]
    for row in study_table.rows(report):
        lines.append([terminal.one_line(study_table.shown(name, row[name])) for name in used])
    widths = [max(len(line[place]) for line in lines) for place in range(len(used))]
    for line in lines:
        terminal.row("  ".join(map(_padded, line, widths, map(_is_number, used))).rstrip())


_HEADS: dict[str, Any] = {"share": "share %", "score": "score %", "first_ply": "first ply"}


def _is_number(field: str) -> bool:
    return field not in ("query", "base", "group", "band")


def _padded(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)
