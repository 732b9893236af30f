"""Opens the bases of a study, and finds the games of its examples in another base."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass
from cqlgui.tasks.databases import bases, importing, sources
from cqlgui.tasks.results import base_model
from cqlgui.tasks.studies import study, study_counts, study_text


@dataclass(frozen=True, slots=True)
class Opened:
    """The bases of a study, and their files. `unreadable` says whether a file of a base was left out."""

    bases: tuple[study.StudyBase, ...]
    files: tuple[Path, ...]
    unreadable: bool


def names(files: Sequence[Path]) -> list[str]:
    """The names of the bases in the table: those of the files, with their folders where two files have one
    name. Each file is listed once."""
    short = [file.name for file in files]
    return [name if short.count(name) == 1 else str(file) for name, file in zip(short, files, strict=True)]


def distinct(files: Sequence[Path]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """The files, each once, and a sentence for each file that is left out, because it is listed twice or
    because another name leads to it. Raises `errors.SourceError` for a name that is not valid text."""
    return bases.once(files)


def open_bases(
    asked: study_text.Study,
    files: Sequence[Path] = (),
    *,
    cancel: progress_module.CancelToken,
    progress: progress_module.ProgressSink = progress_module.ignore,
    on_message: Callable[[str], None] | None = None,
) -> Opened:
    """Open the bases that a study names, or these files in their place, each as a base of its own. Files that
    are not indexed yet are indexed. `on_message` gets sentences about files that cannot be read whole, or
    that are left out, because they are listed before.

    Raises `StudyError`, with the place in the study if the study names the base, `errors.SourceError`, and
    `errors.Cancelled`.
    """
    listed, told = distinct(files or asked.bases)
    if not listed:
        raise study_text.StudyError(
            f"{asked.path} names no bases: add `bases`, or name files after the study."
        )
    for message in told:
        if on_message is not None:
            on_message(message)
    titles = names(listed)
    found, unreadable = [], False
    for title, file in zip(titles, listed, strict=True):
        try:
            report = importing.open_base([file], cancel=cancel, progress=progress)
        except errors.SourceError as error:
            if files:
                raise
            raise study_text.StudyError(f"{asked.bases_place}{error}") from error
        if on_message is not None:
            for message in report.messages:
                on_message(message)
        if report.cancelled:
            raise errors.Cancelled("Stopped while indexing; what was read is kept.")
        found.append(study.StudyBase(title, report.base))
        unreadable = unreadable or bool(report.unreadable)
    return Opened(tuple(found), listed, unreadable)


def game_in(base: base_model.Base, sample: study_counts.Sample, own: base_model.Base) -> int | None:
    """The ordinal of an example's game in a base. `own` is the base of the study in which the example was
    found. None if `base` does not have the file of the game, or has another text of this file."""
    source, ordinal = sources.of_game(own, sample.game)
    for other in base.sources:
        if other.path == source.path and other.digest == source.digest and ordinal < other.games:
            return other.first + ordinal
    return None
