"""The tag section of a game: patterns on bytes that the splitter and the reader share.

    pair    ::= '[' name blank '"' value '"' ']'        value: `\\"` and `\\\\` are escapes, one line

People also write other forms, which are read as follows. A value over several lines is joined. These faults
are accepted: an unescaped quote in the value, a value that ends in a single backslash, one or both missing
quotes, and a missing closing bracket. An extra bracket before the pair is skipped. Any other text in brackets
is skipped. A bracket that never closes is skipped too. Each of these forms is reported. Nothing here is
recursive or slower than linear.

Comments and stray text may stand before, among and after the pairs: the tag section continues until
`MOVETEXT` matches. The splitter and the reader must agree on the end of a tag section.
"""

from __future__ import annotations

from typing import NamedTuple

from cqlgui.base.patterns import pattern

LONGEST = 1 << 16
"""The most bytes of a tag pair. A longer pair is skipped to the end of its line."""

BLANK = pattern(rb"(?:[\s\x00\x1a\xff]|\xef\xbb\xbf|\xc3\xbf|<br\s*/?>)*+")
"""White space and bytes that are treated as white space: NULs, end-of-file marks (0x1A, or a single byte 255,
which is `ÿ`), a byte-order mark, HTML breaks."""

SECTION = pattern(rb'(?:\[[^\s"\[\]]++[ \t]++"[^"\\\r\n]*+"\][ \t]*+\r?\n[ \t]*+)++')
"""Any number of well-formed lines at once: the fast way through nearly every tag section."""

RESULT = rb"(?<![\w/\-])(?:1-0|0-1|1/2(?:[ \t]?-[ \t]?1/2)?)(?![\w/\-])"
"""Regular expression of a result other than `*`."""

_MOVE = (
    # A move number. A number in a year, a date, an ordinal (`1. Bundesliga`) or a heading (`Board 1.`) is not
    # a move number.
    rb"\d{1,3}+(?!\d)\s*+(?:\.|\xe2\x80\xa6|\x85)"
    rb"(?!\d++[^\d/\-]|[\s.]*+(?:(?!(?i:null|pass))[A-Za-z]{4,}+(?![1-8])|\[\s*+[^\s\"\[\]]++\s++\"))|"
    + RESULT
    # A word with the name of a square; castling; a null move.
    + rb"|[^\s\x00\x1a{}()\[\];$!?*<>.,]*?[a-h][1-8]"
    rb"|(?:[O0o]|\xd0[\x9e\xbe])(?:[\-\x96]|\xe2\x80\x93)?(?:[O0o]|\xd0[\x9e\xbe])(?![a-z])"
    rb"|(?:--|[Zz]0|@@@@|[Nn]ull|NULL|[Pp]ass|PASS)(?![\w\-])"
)
# One star is a result, several stars are not. A round bracket begins a variation only if a move or a comment
# follows.
_MOVETEXT = rb"(?<!\*)\*(?!\*)|\((?=[\s(]{0,8}+(?:[{;]|" + _MOVE + rb"))|" + _MOVE
MOVETEXT = pattern(_MOVETEXT)
"""What ends a tag section: a move number, a result, a variation or a word that may be a move."""

_UNOPENED = rb'([A-Za-z]\w*+)[ \t]++"([^"\\\r\n]*+)"[ \t]*+\][ \t]*+(?=[\r\n]|\Z)'
UNOPENED = pattern(_UNOPENED)
"""A line that is a tag pair without its opening bracket."""

_STRAY_WORD = rb"(?!" + _MOVETEXT + rb")[^\s\x00\x1a{\[;(*]++"
STRAY_TEXT = pattern(
    rb"\*\*++|[^\s\x00\x1a{\[;(*]++"
    # Many words match at once, across line ends but not across empty lines.
    rb"(?:(?:[ \t]++|[ \t]*+(?:\r\n|\r(?!\n)|\n)[ \t]*+(?![%\s]|" + _UNOPENED + rb"))" + _STRAY_WORD + rb")*+"
)
"""Stray words in a tag section, where neither `MOVETEXT` nor `UNOPENED` matches."""

_PAIR = pattern(rb'\[\s*+([^\s"\[\]]++)\s*+"((?:[^"\\\r\n]++|\\[^\r\n])*+)"\s*+\]')
_FOLDED = pattern(rb'\[\s*+([^\s"\[\]]++)\s++"((?:[^"\\\r\n]++|\\[^\r\n]|\r?\n(?![\s\[\r\n]))*+)"\s*+\]')
# The value ends before the next text that looks like a pair. Without this limit, every pair of a long line
# would be searched to the end of the line.
_LOOSE = pattern(
    rb'\[\s*+([^\s"\[\]]++)\s++"'
    rb'((?:[^\r\n\["]++|"(?![ \t]*+\])|\[(?!\s*+[^\s"\[\]]++\s++"))*+)"[ \t]*+\]'
)
_BARE = pattern(rb'\[\s*+([A-Za-z]\w*+)[ \t]++([^\r\n"\[\]]++)\]')
_OPEN = pattern(rb'\[\s*+([A-Za-z]\w*+)\s++"([^\r\n"]*?)\][ \t]*+(?=[\r\n]|\Z)')
_NO_FIRST_QUOTE = pattern(rb'\[\s*+([A-Za-z]\w*+)[ \t]++([^\r\n"\[\]]++)"[ \t]*+\]')
_NO_BRACKET = pattern(rb'\[\s*+([A-Za-z]\w*+)[ \t]++"([^"\\\r\n]*+)"[ \t]*+(?=[\r\n]|\Z)')
_STRAY = pattern(rb"(?:\[\s*+(?=\[))++")
_ODD = pattern(rb"\[[^\r\n]*?\]")
_FORMS = (_PAIR, _STRAY, _FOLDED, _LOOSE, _BARE, _OPEN, _NO_FIRST_QUOTE, _NO_BRACKET, UNOPENED, _ODD)
_NAME = pattern(rb"[A-Za-z0-9_+#=:\-]+")
_ESCAPE = pattern(rb'\\([\\"])')
_LINE_END = pattern(rb"[\r\n]|\Z")


class Pair(NamedTuple):
    """A tag pair as it was read. `name` is empty if the pair cannot be used. `complaint` is a sentence about
    a fault of the pair, and `lost` says whether a part of the pair was lost."""

    name: bytes
    value: bytes
    end: int
    complaint: str = ""
    lost: bool = False


def end_of_pair(data: bytes, start: int) -> int:
    """The end of the pair that `pair` reads at `start`. If the text has none of the known forms, the result
    is the end of the line or of `data`."""
    limit = start + LONGEST
    for form in _FORMS:
        found = form.match(data, start, limit)
        if found:
            return found.end()
    return end_of_line(data, start)


def pair(data: bytes, start: int) -> Pair:
    """Read the pair at `start`, where there is a bracket or an `UNOPENED` pair."""
    limit = start + LONGEST
    if found := UNOPENED.match(data, start, limit):
        return Pair(
            found[1],
            found[2],
            found.end(),
            _of_value(found[1], "belongs to a pair without its first bracket"),
        )
    if found := _STRAY.match(data, start, limit):
        return Pair(b"", b"", found.end(), "a bracket too many stands before a tag")
    if found := _PAIR.match(data, start, limit):
        value = found[2]
        if b"\\" in value:
            value = unescaped(value)
        odd = b"" if _NAME.fullmatch(found[1]) else found[1]
        return Pair(found[1], value, found.end(), f"{_show(odd)} is not a tag name" if odd else "")
    if found := _FOLDED.match(data, start, limit):
        value = b" ".join(unescaped(found[2]).splitlines())
        return Pair(found[1], value, found.end(), _of_value(found[1], "runs over several lines"))
    for form, flaw in (
        (_LOOSE, "has an unescaped quote"),
        (_BARE, "has no quotes"),
        (_OPEN, "has no closing quote"),
        (_NO_FIRST_QUOTE, "has no opening quote"),
        (_NO_BRACKET, "has no closing bracket"),
    ):
        if found := form.match(data, start, limit):
            value = found[2].strip() if form is _BARE else found[2]
            # A value that is cut off by the end of the text is incomplete.
            lost = form is not _LOOSE and found.end() >= len(data) and b"]" not in found[0]
            return Pair(found[1], value, found.end(), _of_value(found[1], flaw), lost)
    end = end_of_pair(data, start)
    shown = _show(data[start : min(end, start + 40)])
    return Pair(b"", b"", end, f"the tag pair {shown} is not complete", lost=True)


def end_of_line(data: bytes, start: int) -> int:
    """The end of the line that contains `start`: the place of its CR or LF, or the end of `data`."""
    found = _LINE_END.search(data, start)
    return found.start() if found else len(data)


def unescaped(value: bytes) -> bytes:
    """The text between the quotes of a value, with each escape replaced by its character."""
    return _ESCAPE.sub(rb"\1", value)


def _of_value(name: bytes, flaw: str) -> str:
    return f"the value of the tag {_show(name)} {flaw}"


def _show(data: bytes) -> str:
    return data.decode("ascii", "replace").strip()
