"""Decides whether a pasted or dropped text is a position, games or a query."""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

from cqlgui.base import errors, patterns
from cqlgui.base.data import dataclass
from cqlgui.base.files import disk, folders
from cqlgui.board import squares
from cqlgui.board.position import Position
from cqlgui.cql.checking import check
from cqlgui.pattern import writing
from cqlgui.pattern.marks import Mark, Pattern

LARGEST: Final = 64 << 20
"""Maximum length of a pasted or dropped text, in characters."""
_LONGEST_QUERY: Final = 100_000
_LONGEST_LINE: Final = 1_000
"""Maximum length of a position, in characters. The text after the position, such as the operations of an EPD,
counts too."""
_DAYS: Final = 30
"""Pasted games are kept for this number of days after they were last opened, because saved sessions may still
refer to the games."""
_OPENED: Final = ".opened"
"""An empty file with this ending belongs to a file of pasted games. The modification time of the empty file
tells when the games were last opened. The file with the games must keep its own modification time, because
the index depends on that time."""
_TAG: Final = patterns.pattern(r'(?m)^[ \t]*\[\w+[ \t]+"')
_PLACED: Final = patterns.pattern(r"\w+(?:/\w+){7}")
"""The men of a FEN, rank by rank."""
_HEADER: Final = patterns.pattern(r"\s*cql\s*\(")
_MOVES: Final = patterns.pattern(
    r"(?:^|\s)\d{1,3}\.(?:\.\.)?\s*(?:[A-Z♔-♟]?[a-h]?[1-8]?[x:-]?[a-h][1-8]|[O0]-[O0])"
)
"""A numbered move; the letter for the man may come from any language."""
_COMMENTS: Final = patterns.pattern(r"(?:(?<!:)//|;)[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
"""Comments of a query. A comment may contain moves and tags. The `//` in a web address begins no comment."""
_QUOTES: Final = dict.fromkeys(map(ord, "\"'`\u200b“”„‟‘’‚«»"), " ") | dict.fromkeys(map(ord, "–—"), "-")
"""Quotation marks around a position become blanks. Dashes become hyphens, because web pages often have dashes
instead of hyphens."""
_NAMED: Final = patterns.pattern(r"(?i)\s*(?:position\b\s*[:=]?\s*)?(?:(?:fen|epd)\b\s*[:=]?)?\s*")
"""Words that are skipped before a position, such as `Position: FEN:`."""
_ADDRESS: Final = patterns.pattern(
    r"\s*https?://\S{1,200}?[/=]([1-8pnbrqkPNBRQK]{1,8}(?:/[1-8pnbrqkPNBRQK]{1,8}){7}\S*)\s*"
)
"""The web address of a board. The address ends in a position."""
_BLANKS: Final = patterns.pattern(r"_|%20|\+")
"""Spellings of a blank in a web address."""
_STRINGS: Final = patterns.pattern(r'"[^"\n]*"')
_NEITHER: Final = "This text is no position (FEN), no game (PGN) and no query."


@dataclass(frozen=True, slots=True)
class Pasted:
    """The meaning of a text: a `position`, `games` in the file `path`, a `query` in `text`, or `nothing` with
    a `reason`."""

    kind: Literal["position", "games", "query", "nothing"]
    position: Position | None = None
    path: Path | None = None
    text: str = ""
    reason: str = ""


def understand(text: str) -> Pasted:
    """Decide what a text is. Games are written to a file in the cache folder, so that they can be opened.
    Raises `CqlguiError` if the file cannot be written."""
    if len(text) > LARGEST:
        return Pasted("nothing", reason="This text is too long: save it as a file and open that.")
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return Pasted("nothing", reason="There is no text to be used.")
    fields = _fields(text)
    if fields and _PLACED.fullmatch(fields[0]):
        try:
            return Pasted("position", position=_position(fields))
        except ValueError as error:
            return Pasted("nothing", reason=f"This text is no position: {error}")
    said = _COMMENTS.sub(" ", text[:_LONGEST_QUERY])
    if _HEADER.match(said):
        return Pasted("query", text=text)
    if _TAG.search(said) or _MOVES.search(_STRINGS.sub(" ", said)):
        return Pasted("games", path=_written(text))
    if len(text) <= _LONGEST_QUERY and check.check(text).query is not None:
        return Pasted("query", text=text)
    if _TAG.search(text[:_LONGEST_QUERY]) or _MOVES.search(text[:_LONGEST_QUERY]):
        # The text is no query, so it has no comments of a query. The tags or moves that were found now, and
        # that looked like parts of such comments, belong to a game.
        return Pasted("games", path=_written(text))
    return Pasted("nothing", reason=_NEITHER)


def _fields(text: str) -> list[str]:
    """The words at the beginning of a text. A web address or a label such as `FEN:` before a position is
    omitted. Quotation marks around a position are omitted too."""
    beginning = text[: 2 * _LONGEST_LINE].translate(_QUOTES)
    address = _ADDRESS.fullmatch(beginning)
    if address is not None:
        # Cut off the parameters that may follow the position in an address.
        placed = address[1].partition("?")[0].partition("#")[0].partition("&")[0]
        return _BLANKS.sub(" ", placed).split()
    named = _NAMED.match(beginning)
    return beginning[named.end() if named else 0 :][:_LONGEST_LINE].split()


def _position(fields: list[str]) -> Position:
    """The position that the first words describe. Raises `ValueError` if the first words are no position. An
    EPD has no move counters (PGN standard, section 16.2). The operations of an EPD and any text after a FEN
    are skipped."""
    if len(fields) > 4 and not fields[4].isdigit():
        return Position.from_fen(" ".join([*fields[:4], "0", "1"]))
    return Position.from_fen(" ".join(fields[:6]))


def note_opened(paths: Iterable[Path]) -> None:
    """Record that these files were opened, so that the pasted games in these files are kept longer."""
    for path in paths:
        if path.parent == _folder():
            # If the file with the ending `_OPENED` cannot be written, the days are counted from the time of
            # pasting.
            with contextlib.suppress(OSError):
                path.with_suffix(_OPENED).touch()


def as_pattern(position: Position) -> str:
    """A query for the men of a position on their squares, with anything on the other squares."""
    board = position.squares
    return writing.text_of(
        Pattern(tuple(Mark(1 << board[square], squares.BIT[square]) for square in range(64) if board[square]))
    )


def _folder() -> Path:
    return folders.cache() / "pasted"


def _written(text: str) -> Path:
    folder = _folder()
    data = text.encode("utf-8", "replace")
    path = folder / f"pasted-{hashlib.sha256(data).hexdigest()[:8]}.pgn"
    try:
        folders.make(folder)
        _sweep(folder)
        disk.replace_file(path, data)
    except OSError as error:
        raise errors.CqlguiError(f"The games cannot be kept in {path}: {error.strerror or error}.") from error
    return path


def _sweep(folder: Path) -> None:
    """Remove games that were last pasted or opened more than `_DAYS` days ago."""
    disk.sweep(folder)
    oldest = time.time() - _DAYS * 86_400
    for path in folder.glob("pasted-*.pgn"):
        opened = path.with_suffix(_OPENED)
        with contextlib.suppress(OSError):
            if max(one.stat().st_mtime for one in (path, opened) if one.exists()) < oldest:
                path.unlink()
                opened.unlink(missing_ok=True)
