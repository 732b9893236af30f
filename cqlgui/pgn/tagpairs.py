"""The tag section of a game: patterns the splitter and the reader share, on bytes.

    pair    ::= '[' name blank '"' value '"' ']'        value: `\\"` and `\\\\` are escapes, one line
What people write instead, and what is made of it: a value over several lines (joined), an unescaped quote in
the value (kept), a value that ends in a lone backslash (kept), no quotes at all (kept), anything else in
brackets or a bracket that never closes (skipped). All of these are reported. Nothing here is recursive or
slower than linear.
"""

from __future__ import annotations

from cqlgui.base.patterns import pattern

LONGEST = 1 << 16
"""Bytes a tag pair may take; a longer one is skipped to the end of its line."""

BLANK = pattern(rb"(?:[\s\x00\x1a\xff]|\xef\xbb\xbf|\xc3\xbf|<br\s*/?>)*+")
"""White space and what stands for it: NULs, end-of-file marks (0x1A; a lone byte 255, which is `ÿ`), a
byte-order mark, HTML breaks."""

SECTION = pattern(rb'(?:\[[^\s"\[\]]++[ \t]++"[^"\\\r\n]*+"\][ \t]*+\r?\n[ \t]*+)++')
"""Well-formed lines, any number at once; the quick way through nearly every tag section."""

_PAIR = pattern(rb'\[\s*+([^\s"\[\]]++)\s*+"((?:[^"\\\r\n]++|\\[^\r\n])*+)"\s*+\]')
_FOLDED = pattern(rb'\[\s*+([^\s"\[\]]++)\s++"((?:[^"\\\r\n]++|\\[^\r\n]|\r?\n(?![\s\[\r\n]))*+)"\s*+\]')
_LOOSE = pattern(rb'\[\s*+([^\s"\[\]]++)\s++"([^\r\n]*?)"[ \t]*+\]')
_BARE = pattern(rb'\[\s*+([A-Za-z]\w*+)[ \t]++([^\r\n"\[\]]++)\]')
_OPEN = pattern(rb'\[\s*+([A-Za-z]\w*+)\s++"([^\r\n"]*?)\][ \t]*+(?=[\r\n]|\Z)')
_ODD = pattern(rb"\[[^\r\n]*?\]")
_NAME = pattern(rb"[A-Za-z0-9_+#=:\-]+")
_ESCAPE = pattern(rb'\\([\\"])')
_LINE_END = pattern(rb"[\r\n]|\Z")


def end_of_pair(data: bytes, start: int) -> int:
    """Where the pair that opens at `start` ends; at worst the end of its line (or of `data`)."""
    limit = start + LONGEST
    for form in (_PAIR, _FOLDED, _LOOSE, _BARE, _OPEN, _ODD):
        found = form.match(data, start, limit)
        if found:
            return found.end()
    ending = _LINE_END.search(data, start)
    return ending.start() if ending else len(data)


def pair(data: bytes, start: int) -> tuple[bytes, bytes, int, str]:
    """Name, value, end and complaint of the pair that opens at `start`; an empty name when it is of no
    use.
    """
    limit = start + LONGEST
    if found := _PAIR.match(data, start, limit):
        value = found[2]
        if b"\\" in value:
            value = unescaped(value)
        odd = b"" if _NAME.fullmatch(found[1]) else found[1]
        return found[1], value, found.end(), f"{_show(odd)} is not a tag name" if odd else ""
    if found := _FOLDED.match(data, start, limit):
        value = b" ".join(unescaped(found[2]).splitlines())
        return found[1], value, found.end(), f"the value of the tag {_show(found[1])} runs over several lines"
    if found := _LOOSE.match(data, start, limit):
        return (
            found[1],
            found[2],
            found.end(),
            f"the value of the tag {_show(found[1])} has an unescaped quote",
        )
    if found := _BARE.match(data, start, limit):
        return (
            found[1],
            found[2].strip(),
            found.end(),
            f"the value of the tag {_show(found[1])} has no quotes",
        )
    if found := _OPEN.match(data, start, limit):
        return found[1], found[2], found.end(), f"the value of the tag {_show(found[1])} has no closing quote"
    end = end_of_pair(data, start)
    return b"", b"", end, f"the tag pair {_show(data[start : min(end, start + 40)])} is not complete"


def unescaped(value: bytes) -> bytes:
    """A value between its quotes, with escapes replaced by what they mean."""
    return _ESCAPE.sub(rb"\1", value)


def _show(data: bytes) -> str:
    return data.decode("ascii", "replace").strip()
