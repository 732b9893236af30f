"""Writes comments and tags into the original texts of games.

`annotate` keeps every byte of a text except the comments and tags that it changes. `annotate` finds the
places of positions with `reader`, so a positionid means the same position in both modules. `Annotator` writes
comments into many games at once, with the same result as `annotate`. It uses `kernel_places` for games that
the fast reader takes, and `annotate` for all other games.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from cqlgui.base.data import dataclass
from cqlgui.jit import native
from cqlgui.pgn import braces, decoding, kernel_places

if TYPE_CHECKING:
    from cqlgui.pgn import reader

Integers: TypeAlias = "npt.NDArray[np.int64]"
Kinds: TypeAlias = "npt.NDArray[np.uint8]"

_EVENT_LINE = re.compile(r'[\r\n]+[ \t]*(?=\[Event\s+")')


@overload
def annotate(
    raw: bytes,
    additions: Mapping[int, str],
    removed: Collection[int] = (),
    tags: Sequence[tuple[str, str]] = (),
) -> bytes: ...
@overload
def annotate(
    raw: str,
    additions: Mapping[int, str],
    removed: Collection[int] = (),
    tags: Sequence[tuple[str, str]] = (),
) -> str: ...
def annotate(
    raw: bytes | str,
    additions: Mapping[int, str],
    removed: Collection[int] = (),
    tags: Sequence[tuple[str, str]] = (),
) -> bytes | str:
    """Return a game's original text with changes. `additions` maps positionids to comments. Each comment is
    inserted after the move that leads to the position (0: before all moves). The game's own comments at the
    positionids `removed` are removed. `tags` are set or added.

    Positions that the game does not have are ignored. All bytes outside these changes are kept. Bytes are
    returned in the encoding of the game, or in UTF-8 if an added text has letters that this encoding lacks.
    """
    data = raw.encode("utf-8", "replace") if isinstance(raw, str) else raw
    # Imported here, because clean games do not need the lenient reader, which takes long to load.
    from cqlgui.pgn import reader

    anchors = reader.anchors(data)
    edits = [*_tag_edits(anchors, tags), *_comment_edits(anchors, additions, removed)]
    text = anchors.text
    parts: list[str] = []
    done = 0
    for begin, end, words in sorted(edits, key=lambda edit: edit[:2]):
        parts += (text[done:begin], words)
        done = end
    parts.append(text[done:])
    written = "".join(parts)
    return written if isinstance(raw, str) else decoding.encode(written, anchors.encoding)


_Edit = tuple[int, int, str]


def _comment_edits(
    anchors: reader.Anchors, additions: Mapping[int, str], removed: Collection[int]
) -> Iterator[_Edit]:
    text = anchors.text
    for positionid in removed:
        spans = list(anchors.comments.get(positionid, ()))
        if spans and positionid in additions and positionid in anchors.after:
            # The new comment replaces the last old comment.
            begin, end = spans.pop()
            left = "" if not begin or text[begin - 1].isspace() else " "
            yield begin, end, left + comment(additions[positionid])
        for begin, end in spans:
            yield _cut(text, begin, end)
    for positionid, addition in additions.items():
        if positionid not in anchors.after or (positionid in removed and anchors.comments.get(positionid)):
            continue
        place = anchors.after[positionid]
        left = "" if not place or text[place - 1].isspace() else " "
        right = "" if place < len(text) and (text[place].isspace() or text[place] == ")") else " "
        yield place, place, f"{left}{comment(addition)}{right}"


_BLANKS = re.compile(r"[ \t]*")
_BREAK = re.compile(r"\r\n|\r|\n")


def _cut(text: str, begin: int, end: int) -> _Edit:
    """Remove a comment and the white space after it, without joining the words around the comment."""
    following = _BLANKS.match(text, end)
    if not begin or text[begin - 1].isspace() or text[begin - 1] == "(":
        assert following is not None
        end = following.end()
        line_break = _BREAK.match(text, end)
        if line_break and (not begin or text[begin - 1] in "\r\n"):
            end = line_break.end()
        # No line may begin with a percent sign after the change, because readers skip a line that begins with
        # a percent sign.
        return begin, end, " " if text[end : end + 1] == "%" and not line_break else ""
    return begin, end, "" if end == len(text) or text[end].isspace() or text[end] == ")" else " "


def _tag_edits(anchors: reader.Anchors, tags: Sequence[tuple[str, str]]) -> Iterator[_Edit]:
    text = anchors.text
    known = {name: (begin, end) for name, begin, end in reversed(anchors.tags)}
    fresh = []
    for name, value in dict(tags).items():
        pair = f'[{_name(name)} "{_value(value)}"]'
        if name in known:
            yield *known[name], pair
        else:
            fresh.append(pair)
    if not fresh:
        return
    line_end = "\r\n" if "\r\n" in text else "\n"
    if anchors.tags:
        place = anchors.tags[-1][2]
        yield place, place, "".join(line_end + pair for pair in fresh)
    else:
        yield 0, 0, line_end.join(fresh) + 2 * line_end


def comment(text: str) -> str:
    """`text` as a comment in braces. Every PGN reader reads the result as one comment, unless the text has a
    closing brace: only this program's reader knows the escape of a brace."""
    return "{" + braces.escape(_EVENT_LINE.sub(" ", text)) + "}"


def _name(name: str) -> str:
    return re.sub(r'[\s"\[\]]', "", name)


def _value(value: str) -> str:
    return re.sub(r"[\r\n]+", " ", value).replace("\\", "\\\\").replace('"', '\\"')


_CLEAN_TAG: Final = re.compile(rb'\s*(\[\s*([A-Za-z0-9_]+)\s+"(?:[^"\\]|\\.)*"\s*\])', re.DOTALL)
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
_PLAIN_VALUE: Final = re.compile(r"[ !#-\[\]-~]*")


def tagged(raw: bytes, tags: Sequence[tuple[str, str]]) -> bytes | None:
    """The text of a clean game with tags that are set or added. The result equals the result of `annotate`,
    but it is found without reading the moves. None if only `annotate` can change this text."""
    known: dict[str, tuple[int, int]] = {}
    end = 0
    while (found := _CLEAN_TAG.match(raw, end)) is not None:
        known.setdefault(found[2].decode("ascii"), found.span(1))
        end = found.end()
    if not known or raw[end:].lstrip()[:1] == b"[":
        return None
    edits: list[tuple[int, int, bytes]] = []
    line_end = b"\r\n" if b"\r\n" in raw else b"\n"
    for name, value in dict(tags).items():
        if not (_PLAIN_NAME.fullmatch(name) and _PLAIN_VALUE.fullmatch(value)):
            return None
        pair = f'[{name} "{value}"]'.encode("ascii")
        edits.append((*known[name], pair) if name in known else (end, end, line_end + pair))
    parts: list[bytes] = []
    done = 0
    for begin, until, words in sorted(edits, key=lambda edit: edit[:2]):
        parts += (raw[done:begin], words)
        done = until
    return b"".join([*parts, raw[done:]])


# --- many games at once -------------------------------------------------------------------------------------

_ROOM: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of several games: the text of game g is `data[begins[g]:ends[g]]`. `kinds` has the kind of
    each game for `kernel_places`."""

    data: bytes
    begins: Integers
    ends: Integers
    kinds: Kinds

    def __len__(self) -> int:
        return len(self.begins)

    def bare(self, game: int) -> bytes:
        """The text of a game without line ends around it."""
        return self.data[int(self.begins[game]) : int(self.ends[game])].strip(b"\r\n")


@dataclass(frozen=True, slots=True)
class Notes:
    """Comments for several games. The comments of game g have the numbers `firsts[g]` to `firsts[g + 1]` - 1.
    For each comment, `ids` has the positionid, and `chosen` has the place of the text in `texts`. A
    positionid occurs only once in a game. `comments` has the texts as comments (`comment`), in UTF-8."""

    firsts: Integers
    ids: Integers
    chosen: Integers
    texts: Sequence[str]
    comments: Sequence[bytes]

    @classmethod
    def none(cls, games: int) -> Notes:
        """No comments for some games."""
        nothing = np.zeros(0, np.int64)
        return cls(np.zeros(games + 1, np.int64), nothing, nothing, (), ())

    def of(self, game: int) -> dict[int, str]:
        """The comments of a game by positionid."""
        own = slice(int(self.firsts[game]), int(self.firsts[game + 1]))
        found = zip(self.ids[own].tolist(), self.chosen[own].tolist(), strict=True)
        return {place: self.texts[number] for place, number in found}


@dataclass(frozen=True, slots=True)
class Written:
    """The games `begin` to `end` - 1 with their comments, with a blank line between two games. Line ends
    around the games are left out. If the text is `clean`, every PGN reader finds the end of each game. A text
    that is not clean is a single game. `first` and `last` are the texts of the first and of the last game."""

    begin: int
    end: int
    text: bytes
    clean: bool
    first: bytes
    last: bytes


class Annotator:
    """Writes comments into games. It has its own working memory, so only one thread at a time may use it."""

    def __init__(self) -> None:
        # The type is `Any`, because the type checker does not accept NumPy arrays as the kernel's sequences
        # of integers.
        self._nodes: Any = np.zeros(kernel_places.SCRATCH_HALVES, np.uint32)
        self._places: Any = np.zeros(kernel_places.SCRATCH_INTS, np.int64)
        self._out: Any = np.zeros(_ROOM, np.uint8)

    def write(self, games: Texts, notes: Notes) -> Iterator[Written]:
        """Games with comments, in the order of `games`. The text of each game equals the result of
        `annotate`."""
        lengths = np.fromiter(map(len, notes.comments), np.int64, len(notes.comments))
        starts = np.cumsum(lengths) - lengths
        written: Any = np.zeros(2 * len(games), np.int64)
        arrays = np.frombuffer(games.data, np.uint8), games.begins, games.ends, games.kinds
        pool = np.frombuffer(b"".join(notes.comments) or b"\0", np.uint8)
        noted = notes.firsts, notes.ids, starts[notes.chosen], lengths[notes.chosen], pool
        insert: Any = kernel_places.insert
        at = 0
        while at < len(games):
            end = at
            if native.available():
                end = insert(
                    *arrays, at, len(games), *noted, self._nodes, self._places, self._out, len(self._out),
                    written,
                )  # fmt: skip
                if end == at:
                    self._out = np.zeros(2 * len(self._out), np.uint8)
                    continue
            else:
                # Without machine code, the kernel would be slow.
                written[:], end = -1, len(games)
            yield from self._parts(games, notes, at, written[2 * at : 2 * end].reshape(-1, 2))
            at = end

    def _parts(self, games: Texts, notes: Notes, first: int, written: Any) -> Iterator[Written]:
        """The games that the kernel has written to `_out`, and the games that the kernel has left."""
        begins, ends = written[:, 0], written[:, 1]
        # A game is joined to the game before if only a blank line separates the games in `_out`.
        joined = (begins[1:] == ends[:-1] + 2) & (begins[1:] >= 0) & (ends[:-1] >= 0)
        heads = np.concatenate([[0], np.flatnonzero(~joined) + 1]).tolist()
        for head, tail in zip(heads, [*heads[1:], len(begins)], strict=True):
            if begins[head] < 0:
                game = first + head
                text, added = games.bare(game), notes.of(game)
                if added:
                    text = annotate(text, added)
                yield Written(game, game + 1, text, False, text, text)
            else:
                text = self._out[begins[head] : ends[tail - 1]].tobytes()
                one = text[: int(ends[head] - begins[head])]
                last = text[int(begins[tail - 1] - begins[head]) :]
                yield Written(first + head, first + tail, text, True, one, last)
