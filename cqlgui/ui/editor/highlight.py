"""Colours a query line by line, with the lexer of the query language.

A block comment is the only token that can span several lines.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextBlock, QTextCharFormat

from cqlgui.cql.source import tokens
from cqlgui.cql.syntax.reading import lexer
from cqlgui.ui.editor import offsets
from cqlgui.ui.look import colours

if TYPE_CHECKING:
    from PySide6.QtWidgets import QPlainTextEdit

# The states of a text block. Qt stores the state. A new block has the state -1. A pending block is out of
# view and not coloured yet. Colouring all lines of a very long text at once would take too long.
_OPEN = 1  # the block ends inside a block comment
_PENDING = 2
_AHEAD = 60  # this many lines above the view, and as many lines below the view, are also coloured
_BRACKETS = "()[]{}"
_READABLE = frozenset({tokens.Kind.COMMENT, tokens.Kind.STRING, tokens.Kind.ERROR})
_SIGN_SCALE = 1.35
_BOLD = frozenset({tokens.Kind.KEYWORD, tokens.Kind.TRANSFORM, tokens.Kind.DIRECTION})


class Line(NamedTuple):
    """The tokens of one line. All positions are UTF-16 units from the line's start.

    `pieces` are (start, length, token) for each token that is not white space. `brackets` are (position,
    sign) for each bracket outside strings and comments. `open` says whether the line ends inside a block
    comment.
    """

    pieces: tuple[tuple[int, int, tokens.Token], ...]
    brackets: tuple[tuple[int, str], ...]
    open: bool


@functools.lru_cache(maxsize=20_000)
def line(text: str, in_comment: bool) -> Line:
    """The tokens of a line; `in_comment` says whether the line starts inside a block comment."""
    mapping = offsets.Offsets(text)
    found: list[tokens.Token] = []
    start = 0
    if in_comment:
        close = text.find("*/")
        start = len(text) if close < 0 else close + 2
        found.append(tokens.Token(tokens.Kind.COMMENT, text[:start], 0, ""))
        if close < 0:
            return Line(((0, mapping.to_units(start), found[0]),), (), True)
    found += [token._replace(offset=token.offset + start) for token in lexer.tokens(text[start:])]
    pieces = []
    brackets = []
    for token in found:
        if token.kind is tokens.Kind.WHITESPACE:
            continue
        first = mapping.to_units(token.offset)
        pieces.append((first, mapping.to_units(token.end) - first, token))
        if token.kind not in (tokens.Kind.STRING, tokens.Kind.COMMENT):
            brackets += [
                (mapping.to_units(token.offset + place), sign)
                for place, sign in enumerate(token.text)
                if sign in _BRACKETS
            ]
    last = found[-1] if found else None
    unclosed = (
        last is not None
        and last.kind is tokens.Kind.COMMENT
        and last.text.startswith("/*")
        and not (len(last.text) >= 4 and last.text.endswith("*/"))
    )
    return Line(tuple(pieces), tuple(brackets), unclosed)


def of_block(block: QTextBlock) -> Line:
    """The tokens of a document block, which is one line."""
    return line(block.text(), _ends_open(block.previous().userState()))


def token_at(block: QTextBlock, column: int) -> tokens.Token | None:
    """The token at a UTF-16 column of a line; None on white space."""
    for start, length, token in of_block(block).pieces:
        if start <= column < start + length:
            return token
    return None


class Highlighter(QSyntaxHighlighter):
    """Gives the tokens the colours of the palette. Qt calls `highlightBlock` for changed lines only.

    Lines far from the view are not coloured until `show` is called for these lines.
    """

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor.document())
        self._editor = editor
        self._formats: dict[tokens.Kind, QTextCharFormat] = {}
        self._first, self._last = 0, 2 * _AHEAD
        self._make_formats()

    def show(self, first: int, last: int) -> None:
        """Colour the lines `first` to `last` (from 0) and some lines above and below. Lines that have their
        colours already are skipped."""
        self._first, self._last = first - _AHEAD, last + _AHEAD
        block = self.document().findBlockByNumber(max(0, self._first))
        while block.isValid() and block.blockNumber() <= self._last:
            if block.userState() >= _PENDING:
                self.rehighlightBlock(block)
            block = block.next()

    def recolour(self) -> None:
        """Apply the colours again after the palette has changed."""
        self._make_formats()
        self.rehighlight()

    def _make_formats(self) -> None:
        for kind in tokens.Kind:
            if kind in (tokens.Kind.NAME, tokens.Kind.WHITESPACE):
                continue
            shape = QTextCharFormat()
            shape.setForeground(
                colours.of(self._editor, "unknown" if kind is tokens.Kind.ERROR else kind.value)
            )
            if kind in _BOLD:
                shape.setFontWeight(QFont.Weight.DemiBold)
            shape.setFontItalic(kind is tokens.Kind.COMMENT)
            self._formats[kind] = shape

    def highlightBlock(self, text: str) -> None:
        opened = _ends_open(self.previousBlockState())
        if not self._first <= self.currentBlock().blockNumber() <= self._last:
            # If a line has no `/*` and no `*/`, its start and its end are both inside a comment or both
            # outside.
            plain = "/*" not in text and "*/" not in text
            open_after = opened if plain else line(text, opened).open
            self.setCurrentBlockState(_PENDING | (_OPEN if open_after else 0))
            return
        found = line(text, opened)
        for start, length, token in found.pieces:
            shape = self._formats.get(token.kind)
            if shape is not None:
                self.setFormat(start, length, shape)
            if not token.text.isascii() and token.kind not in _READABLE:
                self._enlarge(start, token.text, shape)
        self.setCurrentBlockState(_OPEN if found.open else 0)

    def _enlarge(self, start: int, text: str, shape: QTextCharFormat | None) -> None:
        """Draw Unicode signs larger than letters, because figurines at the height of a letter would look
        alike."""
        larger = QTextCharFormat(shape) if shape is not None else QTextCharFormat()
        larger.setFontPointSize(self._editor.font().pointSizeF() * _SIGN_SCALE)
        mapping = offsets.Offsets(text)
        for place, sign in enumerate(text):
            if not sign.isascii():
                first = mapping.to_units(place)
                self.setFormat(start + first, mapping.to_units(place + 1) - first, larger)


def _ends_open(state: int) -> bool:
    return state > 0 and bool(state & _OPEN)
