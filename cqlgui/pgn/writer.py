"""Writes comments and tags into a game's own text.

`annotate` keeps every byte of the text except the comments and tags that it changes. It finds the places of
comments and tags with the PGN reader. A positionid therefore means the same position here and in the reader.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import overload

from cqlgui.pgn import braces, decoding, reader

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
    """Return a game's own text with changes. `additions` are comments by positionid, each inserted after the
    move that leads to that position (0: before all moves). Comments of the file at `removed` positionids are
    taken out, and `tags` are set or added.

    Positions that the game does not have are ignored. Every other byte of the text stays. Bytes are returned
    in the encoding of the game, or in UTF-8 if an added text has letters that this encoding lacks.
    """
    data = raw.encode("utf-8", "replace") if isinstance(raw, str) else raw
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
            # The new comment replaces the last old one.
            begin, end = spans.pop()
            left = "" if not begin or text[begin - 1].isspace() else " "
            yield begin, end, left + _comment(additions[positionid])
        for begin, end in spans:
            yield _cut(text, begin, end)
    for positionid, addition in additions.items():
        if positionid not in anchors.after or (positionid in removed and anchors.comments.get(positionid)):
            continue
        place = anchors.after[positionid]
        left = "" if not place or text[place - 1].isspace() else " "
        right = "" if place < len(text) and (text[place].isspace() or text[place] == ")") else " "
        yield place, place, f"{left}{_comment(addition)}{right}"


_GAP = re.compile(r"[ \t]*")
_BREAK = re.compile(r"\r\n|\r|\n")


def _cut(text: str, begin: int, end: int) -> _Edit:
    """Remove a comment with the gap after it, without joining the words around it."""
    following = _GAP.match(text, end)
    if not begin or text[begin - 1].isspace() or text[begin - 1] == "(":
        assert following is not None
        end = following.end()
        line_break = _BREAK.match(text, end)
        if line_break and (not begin or text[begin - 1] in "\r\n"):
            end = line_break.end()
        # Readers skip a line that begins with a percent sign.
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


def _comment(text: str) -> str:
    return "{" + braces.escape(_EVENT_LINE.sub(" ", text)) + "}"


def _name(name: str) -> str:
    return re.sub(r'[\s"\[\]]', "", name)


def _value(value: str) -> str:
    return re.sub(r"[\r\n]+", " ", value).replace("\\", "\\\\").replace('"', '\\"')
