"""Counts and bad games of a base, the recently opened files, and `.cqlbase` files."""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from cqlgui.base import errors
from cqlgui.base.files import disk
from cqlgui.tasks.databases import sources, workspace
from cqlgui.tasks.results import base_model

ENDING = ".cqlbase"
_log = logging.getLogger(__name__)

_LONGEST = 4 << 20
"""Maximum size of a `.cqlbase` file, in bytes."""


def bad_games(base: base_model.Base) -> tuple[base_model.BadGame, ...]:
    """The problems of the games that could not be read whole, in the order of the games. Each problem has its
    own entry."""
    # To open an index, all its segments are mapped. Ten million games have four hundred.
    listed = [source for source in base.sources if sources.headers(source).bad_count(source.id)]
    return tuple(_flaws(listed, "error"))


def notes(base: base_model.Base, most: int) -> tuple[base_model.BadGame, ...]:
    """At most `most` oddities in games that could be read whole, in the order of the games."""
    return tuple(itertools.islice(_flaws(base.sources, "note"), most))


def _flaws(listed: Sequence[base_model.Source], severity: str) -> Iterator[base_model.BadGame]:
    for source in listed:
        if source.games:
            with sources.indexed(source) as opened:
                found = opened.problems(severity)
            for number, offset, line, reason in sorted(found):
                if number < source.games:
                    yield base_model.BadGame(source.first + number, source.path, offset, line, reason)


def info(base: base_model.Base) -> base_model.BaseInfo:
    """Counts over a whole base."""
    summary = workspace.catalog().summary([source.id for source in base.sources])
    folders = [workspace.index_folder(source.path) for source in base.sources]
    size = sum(
        file.stat().st_size
        for folder in folders
        if folder.is_dir()
        for file in folder.iterdir()
        if file.is_file()
    )
    return base_model.BaseInfo(
        base=base,
        players=summary.players,
        events=summary.events,
        first_date=summary.first_date,
        last_date=summary.last_date,
        results=summary.results,
        bad_games=summary.bad,
        index_bytes=size,
    )


def recent_files() -> list[tuple[Path, ...]]:
    """Recently opened files, the latest first; files opened together are one entry. Missing files are listed
    too. If the list cannot be read or created, the result is empty."""
    try:
        return workspace.journal().recent()
    except errors.CqlguiError as error:
        _log.info("the recent files cannot be read: %s", error)
        return []


def remember(paths: Sequence[Path]) -> None:
    """Put files on top of the recent files. An error in writing the list is only logged, because the files
    are open and the user can go on."""
    if paths:
        try:
            workspace.journal().add_recent([Path(path).absolute() for path in paths])
        except errors.CqlguiError as error:
            _log.info("files are not kept among the recent ones: %s", error)


def forget(paths: Sequence[Path]) -> None:
    """Take an entry off the recent files."""
    workspace.journal().forget_recent(list(paths))


def once(paths: Iterable[Path]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """The paths without those that lead to the same file as a path before, and a sentence for each path that
    is left out. Raises `errors.SourceError` if a path is not valid text."""
    found: dict[Path, Path] = {}
    told = []
    for path in paths:
        place = _place(path)
        first = found.get(place)
        if first is None:
            found[place] = path
        else:
            other = "it is listed twice" if first == path else f"it is the same file as {first}"
            told.append(f"{path} is left out, because {other}.")
    return tuple(found.values()), tuple(told)


def expand(paths: Sequence[Path | str]) -> tuple[tuple[Path, ...], str, tuple[str, ...]]:
    """The absolute paths of the sources, the name of the base, and a sentence for each source that is left
    out. Each `.cqlbase` file is replaced by the
    sources that it lists. The base gets the name of the first `.cqlbase` file that has a name. If no
    `.cqlbase` file has a name, the name of the base is empty.

    A `.cqlbase` file is a JSON list of paths, or an object `{"name": ..., "sources": [...]}`; relative paths
    start at the folder of the file. A source that is named twice, even by different paths, counts once.
    Raises `errors.SourceError`.
    """
    found: list[Path] = []
    name = ""
    for path in map(Path, paths):
        listed = [path.absolute()]
        if path.suffix.lower() == ENDING:
            own_name, listed = _read(path)
            name = name or own_name
        for source in listed:
            place = _place(source)
            # A name such as `/dev/stdin` means a different file in each process. This process therefore
            # resolves the name.
            found.append(place if source.is_relative_to("/dev") and place.is_file() else source)
    if not found:
        raise errors.SourceError("No file was named.")
    kept, told = once(found)
    return kept, name, told


def save(path: Path, sources_: Sequence[Path], name: str = "") -> None:
    """Write a `.cqlbase` file. Sources in the folder of the file, or in its subfolders, get relative paths.
    Raises `CqlguiError`."""
    folder = path.absolute().parent
    listed = [
        source.absolute().relative_to(folder).as_posix()
        if source.absolute().is_relative_to(folder)
        else str(source)
        for source in sources_
    ]
    data = {"name": name, "sources": listed} if name else listed
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    try:
        disk.replace_file(path, text.encode("utf-8"), follow=True)
    except OSError as error:
        raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error


def _place(source: Path) -> Path:
    """The path of a source, with links and `..` resolved. Raises `errors.SourceError` if the path is not
    valid text."""
    if not _is_text(str(source)):
        # The catalog and the workers need names that are valid text.
        shown = str(source).encode("utf-8", "backslashreplace").decode()
        raise errors.SourceError(f"The name of {shown} is not valid text; rename the file.")
    try:
        return source.resolve()
    except (OSError, ValueError, RuntimeError):
        # The path has a loop of links or is no file name at all. Opening the path reports the error.
        return source


def _is_text(words: str) -> bool:
    """Whether a string can be encoded as UTF-8. Half of a surrogate pair cannot be encoded."""
    try:
        words.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _read(path: Path) -> tuple[str, list[Path]]:
    try:
        if path.exists() and not path.is_file():
            raise errors.SourceError(f"{path} is not an ordinary file.")
        with path.open("rb") as file:
            text = file.read(_LONGEST + 1)
        if len(text) > _LONGEST:
            raise errors.SourceError(f"{path} is too long for a list of sources.")
        data = json.loads(text.decode("utf-8-sig"))
    except OSError as error:
        raise errors.SourceError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise errors.SourceError(f"{path} is not a list of sources (JSON): {error}.") from error
    name, listed = ("", data) if isinstance(data, list) else ("", None)
    if isinstance(data, dict):
        name, listed = str(data.get("name") or path.stem), data.get("sources")
        if not _is_text(name):
            raise errors.SourceError(f"The name of the base in {path} is not valid text.")
    if not isinstance(listed, list) or not listed or not all(isinstance(item, str) for item in listed):
        raise errors.SourceError(f"{path} is not a list of sources: a JSON list of file names was expected.")
    return name, [(path.absolute().parent / item).absolute() for item in listed]
