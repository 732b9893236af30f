"""Reads one game leniently: tags, moves with variations, comments, glyphs, and the problems found.

Everything legal before the first fault is kept. The moves end at the first fault in the main line. A fault in
a variation ends that variation, and the main line continues. Faults of a game never raise an error. The
reader uses no recursion and takes linear time.

    movetext ::= { number | move | glyph | comment | "(" movetext ")" } result

A comment belongs to the move before it. There is one exception: a comment at the beginning of a variation
belongs to the first move of the variation, and is kept in `ReadGame.before`. `;` comments run to the end of
the line, and lines that begin with `%` are skipped.
"""

from __future__ import annotations

import functools
import re
from array import array
from typing import Literal

import chess

from cqlgui.base.data import dataclass, field
from cqlgui.board import moves
from cqlgui.pgn import braces, decoding, playing, split, tagpairs

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The values a result can have."""

_MOST_PROBLEMS = 100
_CHESS960 = re.compile(
    r"(?:chess)?960|(?:double)?(?:fischerr?andom|frc)(?:chess)?|dfrc|freestyle(?:chess)?|chess960.*"
)
_STANDARD = frozenset(("", "standard", "normal", "regular", "chess", "orthodox", "classical", "fromposition"))


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a game. An `error` makes the game a bad game. A `note` is a flaw that caused no
    loss.

    `line` is 1-based, `offset` counts bytes. Both are absolute if `read_game` received the line and the
    offset of the game.
    """

    line: int
    offset: int
    reason: str
    severity: Literal["error", "note"] = "error"


@dataclass(frozen=True, slots=True)
class ReadGame:
    """A game as it was read. `words` is the packed tree; `start_fen` is None for the usual start.

    `comments`, `before` and `nags` are keyed by positionid. If a position has several comments, `comments`
    has all of them as one text, and `last_comments` has the last comment. `result` is the value of the Result
    tag if this value is a valid result. If this value is not valid, `result` is the result at the end of the
    text, or `*` if the text has no result. A game that is not `playable` (an unsupported variant, a broken
    FEN) has no words.
    """

    tags: tuple[tuple[str, str], ...]
    start_fen: str | None
    words: array[int]
    comments: dict[int, str]
    last_comments: dict[int, str]
    before: dict[int, str]
    nags: dict[int, tuple[int, ...]]
    problems: tuple[Problem, ...]
    result: str
    ending: str
    """The result at the end of the text, whatever the tag says; empty if the text has no result."""
    playable: bool
    chess960: bool
    positions: int
    """The number of positions in the tree, including the start."""
    plies: int
    """The number of plies in the main line."""

    @property
    def bad(self) -> bool:
        """True when a part of the game could not be read."""
        return any(problem.severity == "error" for problem in self.problems)

    @property
    def has_variations(self) -> bool:
        """True when the game has variations."""
        return self.positions > self.plies + 1


def read_raw(raw: split.RawGame) -> ReadGame:
    """Read a game from the splitter. Problems have absolute offsets and lines."""
    return read_game(raw.data, raw.line, raw.offset, raw.problem)


def read_game(data: bytes, line: int = 1, offset: int = 0, problem: str = "") -> ReadGame:
    """Read the bytes of one game at byte `offset` on line `line`. Faults of the game raise no error.

    A `problem` found by the splitter makes the game unplayable: its tags are read, its moves are not.
    """
    reading = _Reading(data, line, offset)
    return reading.read(problem)


@dataclass(slots=True)
class Anchors:
    """The places of a game's positions in its text, for writing comments into the text."""

    text: str
    encoding: decoding.Encoding
    after: dict[int, int] = field(default_factory=dict)
    """For each positionid, the index in `text` just after the move that leads to the position, and after the
    glyphs and comments of that move."""
    comments: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """For each positionid, the ranges of the position's comments in `text`, including the braces or the
    semicolon."""
    tags: list[tuple[str, int, int]] = field(default_factory=list)
    """Name, begin and end in `text` of every tag pair that was read, in order."""


def anchors(data: bytes) -> Anchors:
    """The places of a game's positions in its text. The positions are found in the same way as in
    `read_game`."""
    reading = _Reading(data, 1, 0)
    reading.read("")
    found = Anchors(reading.text, reading.encoding)
    for handle, place in reading.places.items():
        found.after[reading.ids[handle]] = place
    for handle, spans in reading.comment_spans.items():
        found.comments[reading.ids[handle]] = spans
    found.tags = [(name, reading.index(begin), reading.index(end)) for name, begin, end in reading.tag_spans]
    return found


def variant_of(name: str) -> Literal["standard", "chess960", "unsupported"]:
    """The variant that a Variant tag means. Case, blanks and hyphens in the name do not matter."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in _STANDARD:
        return "standard"
    return "chess960" if _CHESS960.fullmatch(plain) else "unsupported"


class _Head:
    """The text between two tag pairs, or between the last pair and the moves."""

    def __init__(self) -> None:
        self.begin = -1
        self.comments: list[tuple[int, int, bytes]] = []
        self.skipped: list[tuple[int, int]] = []
        self.words = False
        """Whether some of the skipped text has letters."""

    def add(self, start: int, end: int = 0, comment: bytes | None = None) -> None:
        """Note that the text at `start` is not a tag pair. If the text is a comment, `comment` is the content
        of the comment."""
        if self.begin < 0:
            self.begin = start
        if comment is not None:
            self.comments.append((start, end, comment))

    def skip(self, start: int, end: int, data: bytes) -> None:
        """Add stray text. Neighbouring stray texts on one line are reported as one text."""
        if not self.words:
            self.words = _LETTER.search(data, start, end) is not None
        if self.skipped and not _OUTSIDE_WORDS.search(data, self.skipped[-1][1], start):
            self.skipped[-1] = (self.skipped[-1][0], end)
        elif len(self.skipped) < _MOST_PROBLEMS:
            self.skipped.append((start, end))


_NUMBER = re.compile(rb"(\d++)\s*+\.")
_DIGITS = re.compile(r"[0-9]{1,4}(?![0-9])")
_LINE_END = re.compile(rb"[\r\n\x1a]")
_LETTER = re.compile(rb"[^\W\d_]|[\x80-\xff]")
_OUTSIDE_WORDS = re.compile(rb"[^ \t]")
_CLOCK = re.compile(r"[+-]?[0-9]++")
_LARGEST_CLOCK = 9999
"""The largest halfmove clock or move number of a FEN. The kernel also reads at most four digits."""


def _bounded(fen: str) -> tuple[str, str]:
    """A FEN with its clocks limited to 0..`_LARGEST_CLOCK`, and a sentence about what was wrong with the
    clocks."""
    fields = fen.split()
    wrong = []
    for place, name, least in ((4, "halfmove clock", 0), (5, "move number", 1)):
        if len(fields) <= place:
            break
        text = fields[place]
        if text == "-":
            number = least
        elif not _CLOCK.fullmatch(text):
            continue
        elif len(text) > 20:
            number = 0 if text.startswith("-") else _LARGEST_CLOCK
        else:
            number = int(text)
            if 0 <= number <= _LARGEST_CLOCK:
                continue
            number = min(max(number, least), _LARGEST_CLOCK)
        fields[place] = str(number)
        wrong.append(f"the {name} {_short(text)} of the FEN is read as {number}")
    return " ".join(fields), "; ".join(wrong)


_TOKEN = re.compile(
    r"""
      (?P<number> \d+ \s* [.…] [.…\s]* )
    | (?P<escape> (?<![^\r\n]) % [^\r\n]* )
    # The full stop in `e.p.` or `e. p.` ends no word.
    | (?P<word> [^\s{}()\[\];$!?*<>.…,\x00\x1a\ufeff]+ (?:(?<=[eE])\.[ ]?[pP](?!\w))? )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<comment> \{ )
    | (?P<nag> \$\d* )
    | (?P<glyph> [!?]+ )
    | (?P<star> \* )
    | (?P<rest> ; [^\r\n]* )
    | (?P<tag> \[ )
    | (?P<html> <br\s*/?> )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"[\s\x00\x1a\ufeff]*")
_NEXT_LINE = re.compile(r"\r\n|\r|\n|\Z")
_GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
_WORD_GLYPHS = {
    "=": 10, "∞": 13, "inf": 13, "unclear": 13, "+=": 14, "+/=": 14, "⩲": 14, "±=": 14, "=+": 15,
    "=/+": 15, "⩱": 15,
    "+/-": 16, "±": 16, "-/+": 17, "∓": 17, "+-": 18, "-+": 19, "+−": 18, "−+": 19, "+--": 20, "--+": 21,
    "⨀": 22, "⊙": 22, "○": 26, "↑": 36, "→": 40, "⇆": 132, "⊕": 138, "□": 7, "N": 146, "RR": 145, "TN": 146,
    "D": 220, "∆": 140, "Δ": 140, "⌓": 142, "‼": 3, "⁇": 4, "⁉": 5, "⁈": 6,
}  # fmt: skip
_RESULT_WORDS = {
    "1-0": "1-0",
    "0-1": "0-1",
    "1/2-1/2": "1/2-1/2",
    "1/2": "1/2-1/2",
    "½-½": "1/2-1/2",
    "½": "1/2-1/2",
}
_EN_PASSANT = tuple(
    f"{e}{p}{check}" for e in "eE" for p in ("p", "P", ".p", ".P", ". p", ". P") for check in ("", "+")
)
_IGNORED_WORDS = frozenset(
    (*_EN_PASSANT, "+", "++", "#", "+#", "-", "–", "—", ":", "x", "mate", "/", "_", "\\")
)
_MEANINGFUL = re.compile(r"[^\W_]")
_GLYPH_LETTERS = frozenset(word[0] for word in (*_WORD_GLYPHS, *_IGNORED_WORDS))
_SKIPPED_KINDS = frozenset(("word", "nag", "glyph", "rest", "other", "html", "escape"))
_parsed = functools.lru_cache(maxsize=1 << 15)(playing.spelling)


class _Reading:
    """The state of reading one game. While the game is read, the nodes are numbered in the order of the file.
    The number of a node in this order is called a handle."""

    def __init__(self, data: bytes, line: int, offset: int) -> None:
        self.data = data
        self.line = line
        self.offset = offset
        self.encoding = decoding.encoding_of(data)
        self.text = ""
        self.parents = [-1]
        self.words = [0]
        self.branches: dict[int, list[int]] = {}
        self.last_child = [-1]
        self.comments: dict[int, list[str]] = {}
        self.before: dict[int, list[str]] = {}
        self.nags: dict[int, list[int]] = {}
        self.places: dict[int, int] = {}
        self.comment_spans: dict[int, list[tuple[int, int]]] = {}
        self.tag_spans: list[tuple[str, int, int]] = []
        self.head_comments: list[tuple[int, int]] = []
        self.ids: list[int] = [0]
        self.problems: list[Problem] = []
        self.noted: set[str] = set()
        self.result = ""
        self.tagless = False
        # The byte that was last given to `index`, and the place of this byte in the text.
        self.known = (0, 0)

    def read(self, problem: str) -> ReadGame:
        """Read the whole game. Call this method only once."""
        tags, end = self._tags()
        # The whole game is decoded, including the tags, so that index 0 of the text is the beginning of the
        # game.
        self.text = decoding.decode(self.data, self.encoding)
        begin = self.index(end)
        if self.head_comments:
            self.comment_spans[0] = [
                (self.index(start), self.index(end)) for start, end in self.head_comments
            ]
        if problem:
            self._problem(0, problem)
        self.tagless = not tags
        values = {name.lower(): value for name, value in reversed(tags)}
        board, start_fen = self._start(values)
        # If the splitter found a problem, `data` has only the beginning of the game. The end of `data` is
        # therefore not the end of the game.
        whole = not problem
        if not whole or len(self.data) == 0:
            board = None
        if whole:
            self._movetext(begin, board)
        result = self._result(values.get("result"), whole)
        words, plies = self._number()
        ids = self.ids
        return ReadGame(
            tags=tuple(tags),
            start_fen=start_fen,
            words=words,
            comments={ids[handle]: " ".join(parts) for handle, parts in self.comments.items()},
            last_comments={ids[handle]: parts[-1] for handle, parts in self.comments.items()},
            before={ids[handle]: " ".join(parts) for handle, parts in self.before.items()},
            nags={ids[handle]: tuple(glyphs) for handle, glyphs in self.nags.items()},
            problems=tuple(sorted(self.problems, key=lambda found: found.offset)),
            result=result,
            ending=self.result,
            playable=board is not None,
            chess960=board is not None and board.chess960,
            positions=len(self.parents),
            plies=plies,
        )

    # Tags and the start

    def _tags(self) -> tuple[list[tuple[str, str]], int]:
        """The tags, and the byte where the movetext begins."""
        data = self.data
        tags: list[tuple[str, str]] = []
        head = _Head()
        position = 0
        while True:
            blank = tagpairs.BLANK.match(data, position)
            line_starts = position == 0
            if blank:
                if b"<" in blank[0]:
                    self._note("html", position, "HTML line breaks stand in the text", at_byte=True)
                position = blank.end()
                line_starts = line_starts or _LINE_END.search(blank[0]) is not None
            if position >= len(data):
                break
            byte = data[position]
            if byte == 0x5B or (line_starts and tagpairs.UNOPENED.match(data, position)):
                self._take(head)
                head = _Head()
                name, value, end, complaint, lost = tagpairs.pair(data, position)
                if name:
                    tags.append((decoding.decode(name, self.encoding), decoding.decode(value, self.encoding)))
                    self.tag_spans.append((tags[-1][0], position, end))
                if complaint:
                    self._add(position, complaint, "error" if lost else "note")
                position = end
            elif byte == 0x25 and line_starts:
                position = tagpairs.end_of_line(data, position)
            elif byte == 0x7B:
                end_of_comment = braces.comment_end(data, position + 1, complete=True)
                if end_of_comment is None or not end_of_comment[1]:
                    head.add(position)
                    break
                head.add(position, end_of_comment[0], data[position + 1 : end_of_comment[0] - 1])
                position = end_of_comment[0]
            elif byte == 0x3B:
                end = tagpairs.end_of_line(data, position)
                head.add(position, end, data[position + 1 : end])
                position = end
            elif tagpairs.MOVETEXT.match(data, position):
                break
            else:
                text = tagpairs.STRAY_TEXT.match(data, position)
                end = text.end() if text else position + 1
                head.add(position)
                head.skip(position, end, data)
                position = end
        if head.begin < 0:
            return tags, position
        number = _NUMBER.match(data, position) if head.words else None
        if number and (number[1] == b"1" or any(name.lower() == "fen" for name, _ in tags)):
            # The moves begin with this number: the number is 1, or the game has a FEN. The text before the
            # number is therefore stray text, not moves in another notation.
            self._take(head)
            return tags, position
        return tags, head.begin

    def _take(self, head: _Head) -> None:
        """Keep the comments of a `_Head`, and report its skipped text."""
        for start, end, comment in head.comments:
            self._comment_at(0, decoding.decode(comment, self.encoding), self.comments)
            self.head_comments.append((start, end))
        for start, end in head.skipped:
            shown = _short(decoding.decode(self.data[start : min(end, start + 100)], self.encoding))
            self._add(start, f"{shown} stands outside the tags and was skipped", "note")

    def _start(self, values: dict[str, str]) -> tuple[chess.Board | None, str | None]:
        """The board for the moves and the FEN of the start. The board is None after a problem. The FEN is
        None for the usual start and after a problem."""
        name = values.get("variant", "")
        variant = variant_of(name)
        fen = values.get("fen", "").strip()
        if variant == "unsupported":
            self._problem(0, f"variant {_short(name.strip())} is not supported")
            return None, None
        if not fen:
            if variant == "chess960":
                self._note("960", 0, "a Chess960 game without FEN; read from the usual start")
            return chess.Board(chess960=variant == "chess960"), None
        fen, clocks = _bounded(fen)
        if clocks:
            self._note("clocks", 0, clocks)
        try:
            board = chess.Board(fen, chess960=True)
        except (ValueError, IndexError) as error:
            # The message of python-chess ends with a colon and the whole FEN. Both are cut off.
            self._problem(0, f"the FEN is broken: {str(error).partition(':')[0]}")
            return None, None
        if chess.popcount(board.kings & board.occupied_co[0]) != 1 or chess.popcount(board.kings) != 2:
            self._problem(0, "variant with other than one king a side is not supported")
            return None, None
        board.chess960 = variant == "chess960" or board.has_chess960_castling_rights()
        start_fen = board.fen(en_passant="fen")
        return board, None if start_fen == chess.STARTING_FEN else start_fen

    def _result(self, tag: str | None, whole: bool) -> str:
        found = self.result
        claimed = (tag or "").strip()
        claimed = "1/2-1/2" if claimed == "1/2" else claimed
        if not whole:
            return claimed if claimed in RESULTS else "*"
        if not found:
            self._note("no result", len(self.data), "the game does not end with a result", at_byte=True)
        elif claimed in RESULTS and claimed != found:
            self._note(
                "result",
                len(self.data),
                f"the tag says {claimed}, the text ends with {found}; tables show the tag, and the filter "
                "`result` asks for the end of the text",
                at_byte=True,
            )
        return claimed if claimed in RESULTS else found or "*"

    # Movetext

    def _movetext(self, begin: int, start: chess.Board | None) -> None:
        """Play the movetext from index `begin`. Without a board, only the result is read."""
        text = self.text
        length = len(text)
        match = _TOKEN.match
        space = _SPACE.match
        board = start
        before_board: chess.Board | None = None
        node = 0
        before_node = -1
        fresh = True
        dead = start is None
        pending: list[str] = []
        pending_spans: list[tuple[int, int]] = []
        # There is one frame for each open variation. When the variation ends, the state in its frame is
        # restored. `dead_depth` counts variations inside a line that has ended at a fault.
        frames: list[tuple[chess.Board | None, int, chess.Board | None, int, bool, int]] = []
        dead_depth = 0
        ended = False
        plain = b""
        position = begin
        self.places[0] = begin
        number_at = begin
        while True:
            blank = space(text, position)
            assert blank is not None
            position = blank.end()
            if position >= length:
                break
            token = match(text, position)
            assert token is not None
            kind = token.lastgroup
            at = position
            position = token.end()
            if kind == "number":
                number_at = at
                if ended and board is not None and not dead:
                    digits = _DIGITS.match(token[0])
                    if digits and int(digits[0]) == board.fullmove_number:
                        self._note("early", at, f"the result {self.result} stands among the moves")
                        ended = False
                continue
            if kind == "word":
                word = token[0]
                if ended:
                    if start is not None:
                        self._behind(at, word)
                    continue
                if dead and word not in _RESULT_WORDS:
                    continue
                wanted = _parsed(word)
                if wanted is not None:
                    assert board is not None
                    # A copy is needed only if a variation will start from the position before the move.
                    if self._variation_follows(position):
                        before_board = board.copy(stack=False)
                    else:
                        before_board = None
                    try:
                        move = playing.play(board, wanted)
                    except playing.MoveError as error:
                        reason = f"move {_numbered(board)} {word} {error}"
                        self._problem(at, reason)
                        if before_board is not None and not frames:
                            before_board = None
                        dead = True
                        dead_depth = 0
                        pending = []
                        continue
                    if wanted.note:
                        self._note("spelling", at, wanted.note)
                    before_node = node
                    node = self._append(node, move)
                    if pending:
                        self.before[node] = pending
                        pending = []
                    fresh = False
                    self.places[node] = position
                elif word in _RESULT_WORDS:
                    if not frames or self._nothing_follows(position):
                        self.result = _RESULT_WORDS[word]
                        ended = True
                elif word in _WORD_GLYPHS:
                    if node or not fresh:
                        self.nags.setdefault(node, []).append(_WORD_GLYPHS[word])
                        self.places[node] = position
                elif self.tagless and not node and not _MEANINGFUL.search(word):
                    self._problem(at, f"{_short(word)} is not the beginning of a game")
                    dead = True
                elif word in _IGNORED_WORDS or word.isdecimal() or not _MEANINGFUL.search(word):
                    self._note("stray", at, f"{word} is not understood and was skipped")
                else:
                    assert board is not None
                    known = self._split_word(word)
                    if known:
                        position = at + known
                        text_word = text[at:position]
                        wanted = _parsed(text_word)
                        assert wanted is not None
                        token_move = self._play_glued(board, wanted, at, text_word)
                        if token_move is not None:
                            before_board = None
                            before_node = node
                            node = self._append(node, token_move)
                            fresh = False
                            self.places[node] = position
                            continue
                    reason = f"{_short(word)} at move {_numbered(board)} is not a move"
                    if frames and fresh:
                        # The variation is a comment in round brackets instead of braces. No move is lost if
                        # this comment is skipped.
                        self._note("prose", at, reason)
                    else:
                        self._problem(at, reason)
                    dead = True
                    dead_depth = 0
                    pending = []
            elif kind == "open":
                if ended:
                    self._behind(at, token[0])
                    continue
                if dead:
                    if not frames and before_board is None and start is None:
                        continue
                    dead_depth += 1
                    continue
                if before_board is None:
                    self._problem(at, "a variation stands where there is no move to replace")
                    frames.append((board, node, before_board, before_node, dead, dead_depth))
                    dead = True
                    dead_depth = 0
                    continue
                frames.append((board, node, before_board, before_node, dead, dead_depth))
                board = before_board.copy(stack=False)
                node = before_node
                before_board = None
                fresh = True
            elif kind == "close":
                if ended:
                    self._behind(at, token[0])
                elif dead and dead_depth:
                    dead_depth -= 1
                elif frames:
                    if pending:
                        self.comments.setdefault(frames[-1][1], []).extend(pending)
                        self.comment_spans.setdefault(frames[-1][1], []).extend(pending_spans)
                        pending = []
                    board, node, before_board, before_node, dead, dead_depth = frames.pop()
                    fresh = False
                elif start is not None:
                    self._note("close", at, "a closing parenthesis without an opening one")
            elif kind == "comment":
                end = braces.text_end(text, position)
                if end < 0:
                    self._problem(at, "a comment is not closed")
                    end = length
                comment = text[position:end]
                position = end + 1
                if not dead or ended:
                    if frames and fresh:
                        self._pend(pending, pending_spans, comment, (at, min(position, length)))
                    else:
                        self._comment_at(node, comment, self.comments)
                        self.comment_spans.setdefault(node, []).append((at, min(position, length)))
                        self.places[node] = min(position, length)
            elif kind == "nag":
                if ended:
                    self._behind(at, token[0])
                elif not dead and not (fresh and frames):
                    if len(token[0]) == 1:
                        self._note("nag", at, "a $ without a number")
                    else:
                        value = int(token[0][1:6])
                        if value <= 255:
                            self.nags.setdefault(node, []).append(value)
                        else:
                            self._note("nag", at, f"{token[0][:8]} is not a glyph")
                    if node:
                        self.places[node] = position
            elif kind == "glyph":
                if ended:
                    self._behind(at, token[0])
                elif not dead:
                    glyph = token[0]
                    if glyph not in _GLYPHS:
                        self._note("nag", at, f"{_short(glyph)} is not a glyph")
                        glyph = glyph[:2] if glyph[:2] in _GLYPHS else glyph[0]
                    if node or not fresh:
                        self.nags.setdefault(node, []).append(_GLYPHS[glyph])
                        self.places[node] = position
            elif kind == "rest":
                if (not dead or ended) and token[0][1:].strip():
                    if frames and fresh:
                        self._pend(pending, pending_spans, token[0][1:], (at, position))
                    else:
                        self._comment_at(node, token[0][1:], self.comments)
                        self.comment_spans.setdefault(node, []).append((at, position))
                # A new comment can be inserted only on the next line, because a `;` comment runs to the end
                # of its line.
                after_line = _NEXT_LINE.match(text, position)
                if after_line:
                    self.places[node] = after_line.end()
            elif kind == "star":
                if ended:
                    self._behind(at, token[0])
                elif not frames or self._nothing_follows(position):
                    self.result = "*"
                    ended = True
            elif kind == "tag":
                if ended:
                    self._behind(at, token[0])
                else:
                    # The text is encoded once for all brackets. Each character becomes one byte, so that
                    # indices stay valid.
                    plain = plain or text.encode("latin-1", "replace")
                    end = tagpairs.end_of_pair(plain, at)
                    if start is not None:
                        self._problem(at, "a tag or bracket stands among the moves")
                    position = max(at + 1, end)
            elif kind == "escape":
                continue
            elif kind == "html":
                self._note("html", at, "HTML line breaks stand in the text")
            elif kind == "other" and token[0] not in ".,…":
                if ended:
                    self._behind(at, token[0])
                else:
                    self._note("stray", at, f"{_short(token[0])} is not understood and was skipped")
        if frames and start is not None:
            self._problem(number_at, "a variation is not closed")

    def _behind(self, at: int, word: str) -> None:
        """Report a text after the result."""
        result = "*" if word == "*" else _RESULT_WORDS.get(word)
        if word == "-" and self.result == "1/2-1/2":
            # A draw may be written as `1/2 - 1/2`.
            return
        if result:
            if result != self.result:
                self._note("second", at, f"another result, {result}, stands behind the result {self.result}")
        elif _parsed(word) is not None:
            if "moves behind" not in self.noted:
                self.noted.add("moves behind")
                self._problem(at, f"{_short(word)} stands behind the result and was not played")
        else:
            self._note("behind", at, f"{_short(word)} stands behind the result and was skipped")

    def _variation_follows(self, position: int) -> bool:
        """Whether the next token that is neither a comment nor a glyph opens a variation."""
        text = self.text
        while True:
            blank = _SPACE.match(text, position)
            position = blank.end() if blank else position
            character = text[position : position + 1]
            if character == "(":
                return True
            if character == "{":
                end = braces.text_end(text, position + 1)
                if end < 0:
                    return False
                position = end + 1
            elif not character or (character.isalnum() and character not in _GLYPH_LETTERS):
                return False
            else:
                token = _TOKEN.match(text, position)
                if token is None or token.lastgroup not in _SKIPPED_KINDS:
                    return False
                if (
                    token.lastgroup == "word"
                    and token[0] not in _WORD_GLYPHS
                    and token[0] not in _IGNORED_WORDS
                ):
                    return False
                position = token.end()

    def _nothing_follows(self, position: int) -> bool:
        return not self.text[position : position + 4096].strip(" \t\r\n\0\x1a") and position + 4096 >= len(
            self.text
        )

    def _split_word(self, word: str) -> int:
        """The length of the move at the beginning of a word that has a glyph attached (`a6N`); 0 for any
        other word."""
        for length in range(min(len(word) - 1, 7), 1, -1):
            if _parsed(word[:length]) is not None and word[length:] in _WORD_GLYPHS:
                return length
        return 0

    def _play_glued(
        self, board: chess.Board, wanted: playing.Spelling, at: int, word: str
    ) -> moves.Move | None:
        try:
            return playing.play(board, wanted)
        except playing.MoveError as error:
            self._problem(at, f"move {_numbered(board)} {word} {error}")
            return None

    def _append(self, parent: int, move: moves.Move) -> int:
        handle = len(self.parents)
        self.parents.append(parent)
        self.words.append(move)
        self.last_child.append(-1)
        if self.last_child[parent] < 0:
            self.last_child[parent] = handle
        else:
            self.branches.setdefault(parent, [self.last_child[parent]]).append(handle)
        return handle

    def _number(self) -> tuple[array[int], int]:
        """Number the nodes in preorder (`ids`). Returns the packed words and the plies of the main line."""
        count = len(self.parents)
        if not self.branches:
            self.ids = list(range(count))
            return array("H", self.words[1:]), count - 1
        ids = [0] * count
        depth = [0] * count
        packed = array("H")
        stack = [0]
        next_id = 0
        reached = 0
        plies = -1
        while stack:
            node = stack.pop()
            while node >= 0:
                ids[node] = next_id
                next_id += 1
                if node:
                    parent = self.parents[node]
                    depth[node] = depth[parent] + 1
                    if parent != reached:
                        packed.extend(moves.pack_back(depth[reached] - depth[parent]))
                    packed.append(self.words[node])
                reached = node
                siblings = self.branches.get(node)
                if siblings:
                    stack.extend(reversed(siblings[1:]))
                node = self.last_child[node]
            if plies < 0:
                plies = depth[reached]
        self.ids = ids
        return packed, plies

    # Comments and problems

    def _comment_at(self, node: int, comment: str, where: dict[int, list[str]]) -> None:
        text = braces.meaning(comment)
        if text:
            where.setdefault(node, []).append(text)

    @staticmethod
    def _pend(pending: list[str], spans: list[tuple[int, int]], comment: str, span: tuple[int, int]) -> None:
        text = braces.meaning(comment)
        if text:
            if not pending:
                spans.clear()
            pending.append(text)
            spans.append(span)

    def _problem(self, at: int, reason: str) -> None:
        self._add(self._byte(at), reason, "error")

    def _note(self, key: str, at: int, reason: str, at_byte: bool = False) -> None:
        """Report a flaw. If a game has several flaws with the same `key`, only the first flaw is reported."""
        if key not in self.noted:
            self.noted.add(key)
            self._add(at if at_byte else self._byte(at), reason, "note")

    def _add(self, byte: int, reason: str, severity: Literal["error", "note"]) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            line = self.line + split.line_ends(self.data, 0, byte)
            self.problems.append(Problem(line, self.offset + byte, reason, severity))

    def index(self, byte: int) -> int:
        """The index in `text` of a byte of `data`. The method is fast if each call has a later `byte` than
        the call before."""
        if self.text.isascii():
            return byte
        known, place = self.known
        if byte < known:
            known, place = 0, 0
        place += len(decoding.decode(self.data[known:byte], self.encoding))
        self.known = (byte, place)
        return place

    def _byte(self, at: int) -> int:
        if not self.text or self.text.isascii():
            return at
        return len(decoding.encode(self.text[:at], self.encoding))


def _numbered(board: chess.Board) -> str:
    return f"{board.fullmove_number}{'.' if board.turn else '...'}"


def _short(text: str) -> str:
    return text if len(text) <= 24 else text[:24] + "…"
