"""Writes hits as a page with diagrams, to read or to print. The page loads nothing from elsewhere."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Any, Final

from cqlgui.base.files import resources
from cqlgui.base.patterns import pattern
from cqlgui.board import squares
from cqlgui.tasks.export import framing
from cqlgui.tasks.export.formats import captions

_PIECES: Final = "PNBRQKpnbrqk"
_INNER: Final = pattern(r"(?s)<svg[^>]*>(.*)</svg>")
_ALLOWED: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #666; --line: #ccc;
        --light: #f0e4cf; --dark: #b58b63; --ring: #1f7a34 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #1b1b1b; --faint: #999; --line: #444; --light: #c9bda6; --dark: #7d6147;
          --ring: #0f5a22 }
}
body { font: 14px/1.4 sans-serif; margin: 2em; color: var(--ink); background: var(--paper) }
pre { border: 1px solid var(--line); padding: 1em; white-space: pre-wrap; overflow-wrap: anywhere }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 1.6em }
figure { margin: 0; break-inside: avoid; content-visibility: auto; contain-intrinsic-size: 220px 340px }
figure > svg { width: 100%; max-width: 300px; display: block; margin-bottom: .4em }
figcaption, dd { overflow-wrap: anywhere }
.faint, dt, summary { color: var(--faint) }
dl { margin: .3em 0; font-size: 12px }
dd { margin: 0 0 .2em }
.light { fill: var(--light) }
.dark { fill: var(--dark) }
.ring { fill: none; stroke: var(--ring); stroke-width: .09 }
@media print {
  :root { --ink: #000; --paper: #fff; --faint: #444; --light: #fff; --dark: #c4c4c4; --ring: #000 }
  body { margin: 0 }
  main { grid-template-columns: repeat(3, 1fr) }
  figure { content-visibility: visible }
  details { display: none }
}
"""
_TOLD: Final = (
    *("file", "game", "gamenumber", "white_elo", "black_elo", "eco", "opening", "event", "site", "round"),
    *("date", "ply", "positionid", "fen", "last", "last_uci", "san", "uci", "next", "element", "transform"),
    *("value", "comment", "until", "plies", "hits", framing.MOVES, framing.NORMALISED),
)
"""The fields in the details of a hit. The other fields are shown in any case."""


def page(records: Iterable[dict[str, Any]], query: str, games: int) -> Iterator[str]:
    """The page in parts: a heading, the query, and a diagram with a caption for each record. `games` is the
    number of games for the heading. All texts of games and of the query are escaped."""
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        # The page needs nothing but its own style. A fault in an escape could load nothing either.
        f'<meta http-equiv="Content-Security-Policy" content="{_ALLOWED}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>Hits in {games} games</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{_definitions()}\n<h1>{games} games</h1>\n<pre>{html.escape(query)}</pre>\n<main>\n"
    )
    for number, record in enumerate(records, 1):
        yield _figure(number, record)
    yield "</main>\n</body>\n</html>\n"


def _definitions() -> str:
    """The board and the men, drawn once. Each diagram refers to them."""
    dark = "".join(
        f"M{column} {row}h1v1h-1z" for row in range(8) for column in range(8) if (row + column) % 2
    )
    parts = [
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>',
        f'<g id="board"><path class="light" d="M0 0h8v8H0z"/><path class="dark" d="{dark}"/></g>',
        "<!-- Men by Colin M.L. Burnett (Cburnett);",
        "GFDL-1.2-or-later OR BSD-3-Clause OR GPL-2.0-or-later -->",
    ]
    for letter in _PIECES:
        name = ("w" if letter.isupper() else "b") + letter.upper()
        text = resources.resource(f"pieces/cburnett/{name}.svg").read_text(encoding="utf-8")
        drawn = _INNER.search(text)
        assert drawn is not None
        inner = pattern(r"(?s)<!--.*?-->").sub("", drawn[1]).strip()
        parts.append(f'<symbol id="man-{letter}" viewBox="0 0 45 45">{inner}</symbol>')
    return "\n".join([*parts, "</defs></svg>"])


def _figure(number: int, record: dict[str, Any]) -> str:
    when = ", ".join(text for text in (captions.place(record),) if text)
    lines = [
        f"<b>{number}. {html.escape(captions.players(record))}</b>",
        f'<span class="faint">{html.escape(when)}</span>',
        html.escape(f"{captions.to_move(record)}: {captions.solution(record) or 'the end of the game'}"),
        f"<i>{html.escape(captions.image(record))}</i>" if captions.image(record) else "",
        html.escape(captions.said(record)),
    ]
    told = "".join(
        f"<dt>{name}</dt><dd>{html.escape(str(record[name]))}</dd>"
        for name in _TOLD
        if record.get(name) not in (None, "")
    )
    matches = "; ".join(f"{one['transform']} {one['words']}" for one in record["orbit"])
    told += f"<dt>orbit</dt><dd>{html.escape(matches)}</dd>" if matches else ""
    return (
        f"<figure>{_board(record)}<figcaption>{'<br>'.join(line for line in lines if line)}"
        f"<details><summary>more</summary><dl>{told}</dl></details></figcaption></figure>\n"
    )


def _board(record: dict[str, Any]) -> str:
    parts = ['<use href="#board"/>']
    for column, row, letter in captions.men(record["fen"]):
        parts.append(f'<use href="#man-{letter}" x="{column}" y="{row}" width="1" height="1"/>')
    for name in record["squares"]:
        square = squares.parse_square(name)
        x, y = squares.file_of(square) + 0.5, 7.5 - squares.rank_of(square)
        parts.append(f'<circle class="ring" cx="{x}" cy="{y}" r=".44"/>')
    return (
        f'<svg viewBox="0 0 8 8" role="img" aria-label="{html.escape(record["fen"])}">{"".join(parts)}</svg>'
    )
