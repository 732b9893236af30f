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
from cqlgui.pgn import braces, decoding, kernel, kernel_places, quick
from cqlgui.pgn.kernel import Why

if TYPE_CHECKING:
    from cqlgui.pgn import reader

Integers: TypeAlias = "npt.NDArray[np.int64]"

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
    """`text` as a comment in braces. Every PGN reader reads the result as one comment."""
    return "{" + braces.escape(_EVENT_LINE.sub(" ", text)) + "}"


def _name(name: str) -> str:
    return re.sub(r'[\s"\[\]]', "", name)


def _value(value: str) -> str:
    return re.sub(r"[\r\n]+", " ", value).replace("\\", "\\\\").replace('"', '\\"')


# --- many games at once -------------------------------------------------------------------------------------

_GAP: Final = b"\n\n"
_ROOM: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Notes:
    """Comments for several games. The comments of game g have the numbers `firsts[g]` to `firsts[g + 1]` - 1.
    For each comment, `ids` has the positionid, and `chosen` has the place of the text in `texts`. A
    positionid occurs only once in a game."""

    firsts: Integers
    ids: Integers
    chosen: Integers
    texts: Sequence[str]

    def of(self, game: int) -> dict[int, str]:
        """The comments of a game by positionid."""
        own = slice(int(self.firsts[game]), int(self.firsts[game + 1]))
        found = zip(self.ids[own].tolist(), self.chosen[own].tolist(), strict=True)
        return {place: self.texts[number] for place, number in found}


class Annotator:
    """Writes comments into games. It has its own working memory, so only one thread at a time may use it."""

    def __init__(self) -> None:
        self._reader = quick.QuickReader()
        # The type is `Any`, because the type checker does not accept NumPy arrays as the kernel's sequences
        # of integers.
        self._nodes: Any = np.zeros(kernel_places.SCRATCH_HALVES, np.uint32)
        self._places: Any = np.zeros(kernel_places.SCRATCH_INTS, np.int64)
        self._out: Any = np.zeros(_ROOM, np.uint8)

    def write(self, games: Sequence[bytes], notes: Notes) -> Iterator[tuple[bytes, bool]]:
        """For each game, the text with comments, and whether the fast reader has read the game. Line ends
        around a game are left out. Each text equals the result of `annotate`."""
        bare, data, begins, ends = _laid_out(games)
        comments = [comment(text).encode("utf-8", "replace") for text in notes.texts]
        kinds = self._kinds(data, begins, ends, all(map(bytes.isascii, comments)))
        lengths = np.fromiter(map(len, comments), np.int64, len(comments))
        starts = np.cumsum(lengths) - lengths
        written: Any = np.zeros(2 * len(bare), np.int64)
        arrays = np.frombuffer(data, np.uint8), begins, ends, kinds
        noted = (
            notes.firsts, notes.ids, starts[notes.chosen], lengths[notes.chosen],
            np.frombuffer(b"".join(comments) or _GAP, np.uint8),
        )  # fmt: skip
        insert: Any = kernel_places.insert
        at = 0
        while at < len(bare):
            end = insert(
                *arrays, at, len(bare), *noted, self._nodes, self._places, self._out, len(self._out), written
            )
            out = self._out[: int(written[2 * at : 2 * end].max(initial=0))].tobytes()
            for game in range(at, end):
                first, last = written[2 * game : 2 * game + 2].tolist()
                if first < 0:
                    yield annotate(bare[game], notes.of(game)), False
                else:
                    yield out[first:last], True
            if end == at:
                self._out = np.zeros(2 * len(self._out), np.uint8)
            at = end

    def own(self, games: Sequence[bytes]) -> Iterator[tuple[bytes, bool]]:
        """The games without comments, in the form of `write`."""
        bare, data, begins, ends = _laid_out(games)
        kinds = self._kinds(data, begins, ends, plain=True)
        yield from zip(bare, (kinds != kernel_places.LEFT).tolist(), strict=True)

    def _kinds(self, data: bytes, begins: Integers, ends: Integers, plain: bool) -> Any:
        """The kind of each game for `kernel_places`. If the comments are not `plain` ASCII, games in another
        encoding than UTF-8 are left to the caller (`LEFT`)."""
        kinds = np.full(len(begins), kernel_places.LEFT, np.uint8)
        if not native.available():
            # The fast reader is slow without machine code.
            return kinds
        at = begin = 0
        while at < len(begins):
            found = self._reader.read(data, begin)
            numbers = np.searchsorted(begins, found.rows[:, kernel.START], "right") - 1
            branching = found.rows[:, kernel.FLAGS] & kernel.VARIATIONS != 0
            kinds[numbers] = np.where(branching, kernel_places.BRANCHING, kernel_places.PLAIN)
            if not plain:
                kinds[numbers[found.other_encoding]] = kernel_places.LEFT
            at = int(numbers[-1]) + 1 if len(found) else at
            begin = found.end
            if found.why is Why.END:
                break
            if found.why is not Why.FULL and at < len(begins):
                # The lenient reader must take this game.
                begin = int(ends[at])
                at += 1
        return kinds


def _laid_out(games: Sequence[bytes]) -> tuple[list[bytes], bytes, Integers, Integers]:
    """The games without line ends around them, one text with all of these games, and the begin and the end of
    each game in this text."""
    bare = [game.strip(b"\r\n") for game in games]
    sizes = np.fromiter(map(len, bare), np.int64, len(bare))
    begins = np.cumsum(sizes + len(_GAP)) - sizes - len(_GAP)
    return bare, quick.padded(_GAP.join(bare)), begins, begins + sizes
