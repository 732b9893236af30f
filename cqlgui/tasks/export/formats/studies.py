"""Cuts games into the chapters of Lichess studies. A study has at most 64 chapters. Each file is to be
imported into a study of its own.

Lichess takes the name of a chapter from the tag `ChapterName`. It cuts a file where a blank line stands
before a line that begins with `[`, so a chapter must have no other such place. It reads UTF-8, and shows the
marks `[%csl ...]` and `[%cal ...]` of comments on the board.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any, Final

from cqlgui.base.files import disk
from cqlgui.base.patterns import pattern
from cqlgui.pgn import decoding, writer
from cqlgui.tasks.export.formats import captions

CHAPTERS: Final = 64
"""The maximum number of chapters of a study on Lichess."""
NAME_TAG: Final = "ChapterName"
_LONGEST_NAME: Final = 80
_TAG: Final = pattern(r"(\[\s*\w+\s+\"(?:[^\"\\]|\\.)*\"\s*\])\s*")
_BLANK_LINES: Final = pattern(r"\n[ \t]*(?=\n)")


def paths(path: Path, chapters: int) -> list[Path]:
    """The files for so many chapters: `path` itself, or `NAME-1.pgn`, `NAME-2.pgn` and so on if one file
    cannot hold all chapters."""
    files = -(-chapters // CHAPTERS)
    if files <= 1:
        return [path]
    return [numbered(path, number) for number in range(1, files + 1)]


def numbered(path: Path, number: int) -> Path:
    """The name of one of several files."""
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def numbered_files(path: Path) -> list[Path]:
    """The files beside `path` that have such names, by number. Folders do not count."""
    found: dict[int, Path] = {}
    with contextlib.suppress(OSError):
        for one in path.parent.iterdir():
            number = one.stem.removeprefix(f"{path.stem}-")
            is_number = number.isascii() and number.isdigit() and one == numbered(path, int(number))
            if is_number and disk.stands(one):
                found[int(number)] = one
    return [found[number] for number in sorted(found)]


def name(record: dict[str, Any], taken: Container[str] = ()) -> str:
    """The name of a chapter: players and year. A number follows if other chapters of the study have `taken`
    this name: `Short - Vaganian, 1989 (2)`."""
    year = captions.year(record)
    known = f", {year}" if year else ""
    players = captions.players(record)
    made = players[: _LONGEST_NAME - len(known)] + known
    for number in itertools.count(2):
        if made not in taken:
            break
        end = f"{known} ({number})"
        made = players[: _LONGEST_NAME - len(end)] + end
    return made


def chapter(raw: bytes, tags: Sequence[tuple[str, str]]) -> bytes:
    """The text of a game with more tags, as UTF-8. The only blank line stands between tags and moves."""
    text = decoding.decode(writer.annotate(raw, {}, (), tags)).replace("\r\n", "\n").replace("\r", "\n")
    text = text.lstrip("\n \t\ufeff")
    head: list[str] = []
    while (found := _TAG.match(text)) is not None:
        # A value may go over several lines.
        head.append(found[1].replace("\n", " "))
        text = text[found.end() :]
    moves = _BLANK_LINES.sub("", text).strip("\n")
    return ("\n".join(head) + "\n\n" + moves).encode("utf-8", "replace")
