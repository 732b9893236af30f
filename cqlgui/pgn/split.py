"""Cuts a text into games: finds the beginning, the end and the first line of each game. Moves are not read.

A game is a tag section followed by movetext. A tag section continues until the first `tagpairs.MOVETEXT`:
comments and stray text among the tags do not begin a game. A new game begins

- at a tag at the beginning of a line (or a roster tag anywhere) after movetext, outside a comment. There is
  an exception for stray pairs among the moves. One pair before a move number above 1 begins no game, as in
  `1. e4 e5 / [Site "x"] / 2. Nf3`. Several pairs before the next move number begin no game either;
- at tags after an empty line, if the game has no movetext and one of these tags repeats one of the game's
  seven roster tags;
- at movetext or a tag after a result outside variations. If the next move number continues the game, the
  result is stray text among the moves, and no game begins. Other text, and further results after moves or
  tags, belong to the previous game;
- at a second `1.` after a blank line, outside variations.

Other blank lines mean nothing. Comments, `;` comments and `%` lines may hold anything. White space, NULs,
byte-order marks and the DOS end-of-file byte between games belong to no game; every other byte belongs to
exactly one game.

The text is read in pieces. A piece in the middle of a game is never scanned twice, so splitting takes linear
time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.pgn import braces, decoding, tagpairs

LONGEST_GAME = 8 << 20
"""The most bytes of a game that are passed on. For a longer game, only the beginning is passed on, together
with a problem. A worker counts as hanging after a time limit. Reading this many bytes of moves takes much
less time than this limit."""

_PIECE = 4 << 20
# Every token is shorter than this many bytes, except comments, lines and runs of blanks. A scan that starts
# this many bytes before the end of the buffer therefore sees whole tokens.
_AHEAD = 2 * tagpairs.LONGEST
HEAD_OF_LONG = 1 << 16
"""The number of bytes that are passed on of a longer game."""

# The expression matches all empty lines in a row, and a move number `1.` after these lines. No line is
# therefore scanned twice.
_AGAIN = rb"(?:\n[ \t\r]*+\n|\r[ \t]*+\r(?!\n))\s*+(?:1\s?\.(?![\s.]*\.))?"
_TOKEN = pattern(rb"[{;%\[*]|\({1,64}+|\){1,64}+|" + tagpairs.RESULT + rb"|" + _AGAIN)
_COMMENT = pattern(rb"\{[^}]*+\}|\([^(){}]*+\)")
_FIRST_NUMBER = pattern(rb"(?<!\d)1\s?\.")
_NUMBERS = pattern(rb"(?<!\d)(\d{1,4})\s?\.")
_NUMBER = pattern(rb"(\d{1,4})\s*+(\.[\s.]*\.)?")
_NUMBER_LOOK = 256
_MORE_RESULT = pattern(rb"\*|" + tagpairs.RESULT)
_TAG_LIKE = pattern(
    rb'\[\s*+(?:[A-Za-z][^\s"\[\]]*+\s++"|(?:Event|Site|Date|Round|White|Black|Result|FEN)\b(?!\s*+\]))'
)
_ROSTER_TAG = pattern(rb'\[(?:Event|Site|Date|White|Black|Result|FEN)\s++"')
_ROSTER_NAME = pattern(rb'(?:\[\s*+|(?<![^\r\n]))(Event|Site|Date|Round|White|Black|Result)\s++"')
_STRAY = rb'\[(?!FEN|SetUp|Event)[^\s"\[\]]++\s++"[^"\\\r\n]*+"\s*+\]\s*+'
_STRAY_TAGS = pattern(_STRAY + rb"((?:" + _STRAY + rb")*+)(?=\d++\s*+\.)")
_LINE_END = pattern(rb"[\r\n]")
_QUICK_SPAN = 1 << 14


class Source(Protocol):
    """The text that the splitter reads, for example `texts.Text`."""

    @property
    def size(self) -> int:
        """The number of bytes of the text."""

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset`. Empty only at the end."""


@dataclass(frozen=True, slots=True)
class RawGame:
    """The place of a game in its text: byte offset and length, 1-based line of its first byte, and its bytes.

    If the game is not passed on whole, `problem` is a sentence, and `data` has only the beginning of the
    game.
    """

    offset: int
    length: int
    line: int
    data: bytes
    problem: str = ""

    @property
    def end(self) -> int:
        """Offset of the first byte after the game, where splitting may continue."""
        return self.offset + self.length


class BytesSource:
    """A text that is already in memory."""

    __slots__ = ("_data", "size")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        """See `Source`."""
        return self._data[offset : offset + length]


def games(text: Source, start: int = 0, line: int = 1) -> Iterator[RawGame]:
    """The games from byte `start`, which is on line `line`. `start` is 0 or the `end` of a game. In the
    second case, `line` is the `end_line` of this game.

    The content of the text never causes an error. A text that begins with a mark of `decoding.WIDE_MARKS` is
    returned as one game with a problem. (`archives.open_source` converts a file that begins with such a mark
    to UTF-8.)
    """
    if text.read(0, 4).startswith(decoding.WIDE_MARKS):
        if start == 0:
            yield RawGame(0, text.size, 1, b"", "the text is UTF-16 or UTF-32; save it as UTF-8")
        return
    yield from _Scanner(text, start, line).games()


def end_line(game: RawGame) -> int:
    """The line of the byte after the game. `games` can continue at this byte and line."""
    return game.line + line_ends(game.data, 0, len(game.data))


def line_ends(data: bytes, start: int, end: int) -> int:
    """The number of line ends (LF, CR or CRLF) in a range. The range must not begin between CR and LF."""
    count = data.count(b"\n", start, end)
    carriage_returns = data.count(b"\r", start, end)
    if carriage_returns:
        count += carriage_returns - data.count(b"\r\n", start, end)
    return count


class _Scanner:
    """Finds the games in a text. Only a part of the text, the window `data`, is in memory.

    Four attributes are indices into `data`. Scanning continues at `position`. The game begins at `start`, and
    its movetext at `begun`. Lines are counted up to `counted`. `data` begins at byte `base` of the text.
    """

    def __init__(self, text: Source, offset: int, line: int) -> None:
        self.text = text
        self.data = b""
        self.base = offset
        self.complete = False
        self.position = 0
        self.start = 0
        self.counted = 0
        self.begun = 0
        self.tagged = False
        self.line = line
        # Offset and beginning of a game that is longer than the window.
        self.long: tuple[int, bytes] | None = None

    def games(self) -> Iterator[RawGame]:
        while True:
            self.long = None
            self._skip_blank(between_games=True)
            if self.position >= len(self.data):
                return
            self.start = self.position
            self._count_lines()
            line = self.line
            # `_quick_moves` searches for the next bracket. In a text without tags this bracket may be far
            # away, and every small game would repeat the long search.
            if not self._tags() and not (self.tagged and self._quick_moves()):
                self._moves()
            game = self._cut(line)
            if game is not None:
                yield game

    def _cut(self, line: int) -> RawGame | None:
        end = self.position
        data = self.data[self.start : end]
        stripped = _strip_end(data)
        end -= len(data) - len(stripped)
        if self.long is not None:
            offset, head = self.long
            size = (self.base + end) - offset
            return RawGame(offset, size, line, head, f"the game is longer than {LONGEST_GAME >> 20} MB")
        if stripped.startswith(b"%") and _only_escapes(stripped):
            return None
        return RawGame(self.base + self.start, len(stripped), line, stripped)

    def _grow(self) -> None:
        """Read the next piece and keep the current game; all indices are moved accordingly."""
        keep = self.start
        if self.position - keep > LONGEST_GAME:
            if self.long is None:
                self.long = (self.base + keep, self.data[keep : keep + HEAD_OF_LONG])
            # One more byte is kept, because later checks look back for the beginning of a line.
            keep = self.position - 1
            self.start = keep
            if self.data[keep - 1 : keep + 1] == b"\r\n":
                keep -= 1
                self.start = keep
        self._count_lines(keep)
        kept = self.data[keep:]
        more = self.text.read(self.base + len(self.data), max(_PIECE, min(len(kept), LONGEST_GAME)))
        self.complete = not more
        self.data = kept + more
        self.base += keep
        self.position -= keep
        self.start -= keep
        self.counted -= keep
        self.begun = max(0, self.begun - keep)

    def _count_lines(self, upto: int | None = None) -> None:
        end = self.start if upto is None else upto
        if end > self.counted:
            self.line += line_ends(self.data, self.counted, end)
            self.counted = end

    def _see_ahead(self) -> None:
        while not self.complete and len(self.data) - self.position < _AHEAD:
            self._grow()

    def _skip_blank(self, between_games: bool = False) -> None:
        while True:
            found = tagpairs.BLANK.match(self.data, self.position)
            if found:
                self.position = found.end()
            # The window may end within a byte-order mark or an HTML break.
            if self.complete or len(self.data) - self.position > 16:
                return
            if between_games:
                self.start = self.position
                if self.data[self.position - 1 : self.position] == b"\r":
                    self.start -= 1
            self._grow()

    def _skip_line(self) -> None:
        while True:
            found = _LINE_END.search(self.data, self.position)
            if found:
                self.position = found.start()
                return
            self.position = len(self.data)
            if self.complete:
                return
            self._grow()

    def _skip_comment(self) -> bool:
        """Skip the comment at `position`. Returns False if the comment was never closed. In this case,
        another game or the end of the text follows."""
        self.position += 1
        # The comment does not end before this offset. Each search begins here, so that a long comment is
        # searched only once.
        searched = self.base + self.position
        while True:
            at = max(self.position, searched - self.base)
            if self.complete or self.data.find(b"}", at) >= 0 or self.data.find(b"[Event", at) >= 0:
                end = braces.comment_end(self.data, self.position, self.complete)
                if end is not None:
                    self.position = end[0]
                    return end[1]
            else:
                searched = self.base + len(self.data) - 64
            size = len(self.data) - self.start
            if size > LONGEST_GAME:
                # The comment is too long to be kept. Continue near the end of the window, still inside the
                # comment.
                self.position = max(self.position, len(self.data) - 64)
            self._grow()

    def _at_line_start(self) -> bool:
        data = self.data
        index = self.position - 1
        while index >= self.start and data[index] in b" \t\x00\xef\xbb\xbf\xff\xc3":
            index -= 1
        return index < self.start or data[index] in b"\r\n\x1a"

    def _tags(self) -> bool:
        """Skip the tag section and the text before it. Returns True if the game ends without movetext."""
        self._see_ahead()
        section = tagpairs.SECTION.match(self.data, self.position)
        self.tagged = section is not None
        # `names` are the names of the game's roster tags. The names in the first section are rarely needed,
        # so they are added only on demand.
        names: set[bytes] = set()
        first: tuple[int, int] | None = None
        if section:
            first = (self.base + self.position, self.base + section.end())
            self.position = section.end()
        lines = int(self.tagged)
        spaced = False
        while True:
            blank = self.base + self.position
            self._skip_blank()
            if self.position >= len(self.data):
                return True
            byte = self.data[self.position]
            if self.tagged and not spaced:
                spaced = lines + line_ends(self.data, max(0, blank - self.base), self.position) > 1
            lines = 0
            self._see_ahead()
            if byte == 0x5B or self._unopened():
                if first:
                    begin, end = (max(0, at - self.base) for at in first)
                    names.update(_ROSTER_NAME.findall(self.data, begin, end))
                    first = None
                if self._pairs(names, spaced):
                    return True
                lines = int(self.data[self.position - 1] == 0x0A)
                spaced = False
            elif byte == 0x25 and self._at_line_start():
                self._skip_line()
            elif byte == 0x7B:
                if not self._skip_comment():
                    return True
            elif byte == 0x3B:
                self._skip_line()
            elif tagpairs.MOVETEXT.match(self.data, self.position):
                return False
            else:
                self._skip_text()

    def _pairs(self, names: set[bytes], spaced: bool) -> bool:
        """Skip the tag pairs at `position` and add the names of their roster tags to `names`. Returns True if
        the pairs begin another game."""
        section = tagpairs.SECTION.match(self.data, self.position)
        end = section.end() if section else tagpairs.end_of_pair(self.data, self.position)
        found = set(_ROSTER_NAME.findall(self.data, self.position, end))
        if spaced and not names.isdisjoint(found):
            return True
        names |= found
        self.tagged = True
        line_goes_on = end == len(self.data) and not self.complete
        self.position = end
        if line_goes_on:
            self._skip_line()
        return False

    def _quick_moves(self) -> bool:
        """Skip the movetext of a plain game, up to the next line that begins with a bracket. Returns False if
        a closer look is needed."""
        data = self.data
        start = self.position
        end = data.find(b"\n[", start, start + _QUICK_SPAN)
        if end < 0:
            return False
        moves = data[start:end].rstrip()
        if any(moves.find(byte) >= 0 for byte in (b"{", b";", b"%", b"(", b"[", b"\n\n", b"\n\r\n")):
            return False
        for result in (b"1-0", b"0-1", b"1/2-1/2", b"*"):
            if moves.endswith(result):
                rest = moves[: -len(result)]
                break
        else:
            return False
        if any(rest.find(token) >= 0 for token in (b"*", b"1-0", b"0-1", b"1/2")):
            return False
        self.position = start + len(moves)
        return True

    def _moves(self) -> None:
        """Skip the movetext."""
        depth = 0
        self.begun = self.position
        while True:
            if not self.complete and len(self.data) - self.position < _AHEAD:
                self._see_ahead()
            found = _TOKEN.search(self.data, self.position)
            if found is None or (found.end() > len(self.data) - 16 and not self.complete):
                if self.complete:
                    self.position = len(self.data)
                    return
                # The last 16 bytes may be the beginning of a token. No token is longer, except a run of empty
                # lines.
                last = len(self.data) - 16
                if found is not None and found.start() > len(self.data) - _AHEAD:
                    last = min(last, found.start())
                self.position = max(self.position, last)
                self._grow()
                continue
            self.position = found.start()
            byte = self.data[self.position]
            if byte == 0x7B:
                if not self._skip_comment():
                    return
            elif byte == 0x3B:
                self._skip_line()
            elif byte == 0x5B:
                if self._new_game():
                    return
            elif byte == 0x25:
                if self._at_line_start():
                    self._skip_line()
                else:
                    self.position += 1
            elif byte == 0x28:
                depth += len(found[0])
                self.position = found.end()
            elif byte == 0x29:
                depth = max(0, depth - len(found[0]))
                self.position = found.end()
            elif byte in b"\r\n":
                if depth == 0 and found[0].endswith(b"."):
                    moved = _COMMENT.sub(b"", self.data[self.begun : self.position])
                    if _FIRST_NUMBER.search(moved):
                        return
                self.position = found.end()
            else:
                self.position = found.end()
                if depth == 0 and not self._after_result(found.start(), found[0]):
                    return

    def _new_game(self) -> bool:
        """Whether the bracket after movetext begins a game. A bracket that begins no game is skipped."""
        self._see_ahead()
        if self._at_line_start():
            opens = _TAG_LIKE.match(self.data, self.position) is not None
            stray = _STRAY_TAGS.match(self.data, self.position) if opens else None
            if stray:
                number = _NUMBER.match(self.data, stray.end())
                above = number is not None and not stray[1] and int(number[1]) > 1
                if number and (above or self._continues(self.position, number)):
                    self.position = stray.end()
                    return False
        else:
            opens = _ROSTER_TAG.match(self.data, self.position) is not None
        if not opens:
            self.position += 1
        return opens

    def _continues(self, end: int, number: re.Match[bytes]) -> bool:
        """Whether a move number continues the movetext before `end`."""
        before = _COMMENT.sub(b"", self.data[max(self.begun, end - _NUMBER_LOOK) : end])
        numbers = _NUMBERS.findall(before)
        if not numbers:
            return False
        last, next_one = int(numbers[-1]), int(number[1])
        return next_one == last + 1 or (next_one == last and number[2] is not None)

    def _after_result(self, start: int, result: bytes) -> bool:
        """After the result at `start`, skip comments, stray text and further results that may still belong to
        the game. Returns True if the moves of the game continue."""
        start += self.base
        filled = self.tagged or self.base + self.begun < start
        while True:
            if result == b"*" and self.data[self.position : self.position + 1] == b"*":
                self.position += 1
                continue
            self._skip_blank()
            self._see_ahead()
            if self.position >= len(self.data):
                return False
            byte = self.data[self.position]
            if byte == 0x7B:
                if not self._skip_comment():
                    return False
            elif byte == 0x3B or (byte == 0x25 and self._at_line_start()):
                self._skip_line()
            elif byte == 0x29:
                self.position += 1
            elif byte == 0x5B or self._unopened():
                return False
            elif again := _MORE_RESULT.match(self.data, self.position):
                if not filled and (again[0] != result or result == b"*"):
                    return False
                self.position = again.end()
            elif tagpairs.MOVETEXT.match(self.data, self.position):
                number = _NUMBER.match(self.data, self.position)
                return number is not None and self._continues(max(0, start - self.base), number)
            else:
                self._skip_text()

    def _unopened(self) -> bool:
        """Whether a tag pair without its opening bracket stands at `position`, at the beginning of a line."""
        return tagpairs.UNOPENED.match(self.data, self.position) is not None and self._at_line_start()

    def _skip_text(self) -> None:
        text = tagpairs.STRAY_TEXT.match(self.data, self.position)
        self.position = text.end() if text else self.position + 1


_BLANK_END = b" \t\r\n\f\v\x00\x1a"
_MARKS_END = (b"\xef\xbb\xbf", b"\xc3\xbf", b"\xff")


def _strip_end(data: bytes) -> bytes:
    data = data.rstrip(_BLANK_END)
    while data.endswith(_MARKS_END):
        mark = next(mark for mark in _MARKS_END if data.endswith(mark))
        data = data[: -len(mark)].rstrip(_BLANK_END)
    return data


def _only_escapes(data: bytes) -> bool:
    return all(not line.strip() or line.lstrip().startswith(b"%") for line in data.splitlines())
