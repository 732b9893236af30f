"""Writes hits as a page with diagrams, to read or to print. The page loads nothing from elsewhere."""

from __future__ import annotations

import functools
import html
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from cqlgui.base import arrays, plurals
from cqlgui.base.data import dataclass
from cqlgui.base.files import resources
from cqlgui.base.patterns import pattern
from cqlgui.board import squares
from cqlgui.tasks.export import framing, hit_table, records
from cqlgui.tasks.export.formats import by_column, captions
from cqlgui.tasks.judging import judgement

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
_OF_GAME: Final = ("white_elo", "black_elo", "eco", "opening", "event", "site", "round", "date")
_OF_ROW: Final = ("ply", "positionid", "fen", *hit_table.MOVES)
_OF_MATCH: Final = ("element", "transform")
_OF_QUERY: Final = ("value", "comment")
_BESIDES: Final = (
    *("until", "plies", "hits", framing.MOVES, framing.NORMALISED),
    *judgement.TABLE_FIELDS,
    *judgement.ENGINE_FIELDS,
)
"""The fields in the details of a hit, in their order after the place of the game. The other fields are shown
in any case."""
_PIECE: Final = 500
"""Number of figures that are written at once. A figure has a few thousand characters."""


def page(tables: Iterable[records.Table], query: str, games: int) -> Iterator[str]:
    """The page in parts: a heading, the query, and a diagram with a caption for each row. `games` is the
    number of games for the heading. All texts of games and of the query are escaped."""
    title = plurals.games(games)
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        # The page needs nothing but its own style. A fault in an escape could load nothing either.
        f'<meta http-equiv="Content-Security-Policy" content="{_ALLOWED}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>Hits in {title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{_definitions()}\n<h1>{title}</h1>\n<pre>{html.escape(query)}</pre>\n<main>\n"
    )
    figures = itertools.chain.from_iterable(
        map(_of_record, table) if isinstance(table, list) else _of_block(table) for table in tables
    )
    numbered = (
        f"<figure>{board}<figcaption><b>{number}. {rest}" for number, (board, rest) in enumerate(figures, 1)
    )
    while piece := "".join(itertools.islice(numbered, _PIECE)):
        yield piece
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


_Figure = tuple[str, str]
"""The diagram of a hit, and its caption after the number."""


def _of_record(record: dict[str, Any]) -> _Figure:
    first = record["game"] - record["gamenumber"] + 1
    game = _Game.of(record)
    image, judged = captions.image(record), captions.judged(record)
    lines = game.lines, _moves(record), _image(image), html.escape(captions.said(record)), html.escape(judged)
    told = (
        _place(record["file"], record["game"], first),
        game.told,
        _details(record, _OF_ROW),
        _details(record, _OF_MATCH),
        _details(record, _OF_QUERY),
        _details(record, _BESIDES),
        _orbit(record["orbit"]),
    )
    return _board(record["fen"], _rings(record["squares"])), _caption(lines, told)


def _of_block(block: hit_table.Block) -> Iterator[_Figure]:
    rows = by_column.rows(
        block,
        _Game.of,
        lambda record: _image(captions.image(record)),
        lambda record: (html.escape(captions.said(record)), _details(record, _OF_QUERY)),
    )
    rings = {area: _rings(hit_table.squares_of(area)) for area in arrays.distinct(block.ringed).tolist()}
    codes, begin = block.columns.codes.tolist(), 0
    # Rows with the same matches have the same words about them.
    matches: dict[tuple[int, ...], tuple[str, str]] = {}
    names, following = tuple(block.more), 1 + hit_table.MOVES.index("next")
    more = zip(*(column.tolist() for column in block.more.values()), strict=True)
    for (texts, number, place, game, image, (said, query)), ply, area, end, besides in zip(
        rows,
        block.plies.tolist(),
        block.ringed.tolist(),
        block.columns.ends.tolist(),
        more if names else itertools.repeat((), len(block)),
        strict=True,
    ):
        own = tuple(codes[begin:end])
        begin = end
        if own not in matches:
            orbit = [hit_table.match(code, block.orbits) for code in own]
            matches[own] = _details(orbit[0], _OF_MATCH) if orbit else "", _orbit(orbit)
        match, others = matches[own]
        fen = texts[0]
        row = {"fen": fen, "next": texts[following]}
        told = (
            _place(block.file, number, block.first),
            game.told,
            # A FEN and moves have no sign that must be escaped.
            "".join(
                f"<dt>{name}</dt><dd>{value}</dd>"
                for name, value in zip(_OF_ROW, (ply, place, *texts), strict=True)
                if value != ""
            ),
            match,
            query,
            _details(dict(zip(names, besides, strict=True)), names) if names else "",
            others,
        )
        yield _board(fen, rings[area]), _caption((game.lines, _moves(row), image, said), told)


@dataclass(frozen=True, slots=True)
class _Game:
    """What all captions of a game have: the first lines after the number, and the details of the game."""

    lines: str
    told: str

    @classmethod
    def of(cls, record: dict[str, Any]) -> _Game:
        """The game of a row, or of the headers of a row."""
        players, where = html.escape(captions.players(record)), html.escape(captions.place(record))
        told = _details(record, _OF_GAME) + _details({"tags": captions.tags(record)}, ("tags",))
        return cls(f'{players}</b><br><span class="faint">{where}</span>', told)


def _caption(lines: Iterable[str], told: Iterable[str]) -> str:
    shown, details = "<br>".join(filter(None, lines)), "".join(told)
    return f"{shown}<details><summary>more</summary><dl>{details}</dl></details></figcaption></figure>\n"


def _moves(record: dict[str, Any]) -> str:
    """Who is to move, and the moves that followed."""
    return html.escape(f"{captions.to_move(record)}: {captions.solution(record) or 'the end of the game'}")


def _image(words: str) -> str:
    return f"<i>{html.escape(words)}</i>" if words else ""


def _place(file: str, game: int, first: int) -> str:
    """The details about the place of a game."""
    record = {"file": file, "game": game, "gamenumber": game - first + 1}
    return _details(record, tuple(record))


def _details(record: dict[str, Any], names: Sequence[str]) -> str:
    """The details about some fields of a row. A field without a value is left out."""
    return "".join(
        f"<dt>{name}</dt><dd>{html.escape(str(value))}</dd>"
        for name in names
        if (value := record.get(name)) not in (None, "")
    )


def _orbit(orbit: Sequence[dict[str, Any]]) -> str:
    """The detail about all matches."""
    matches = "; ".join(f"{one['transform']} {one['words']}" for one in orbit)
    return f"<dt>orbit</dt><dd>{html.escape(matches)}</dd>" if matches else ""


def _board(fen: str, rings: str) -> str:
    men = "".join(_rank(row, rank) for row, rank in enumerate(fen.partition(" ")[0].split("/")))
    return (
        f'<svg viewBox="0 0 8 8" role="img" aria-label="{html.escape(fen)}"><use href="#board"/>{men}{rings}'
        "</svg>"
    )


@functools.lru_cache(1 << 16)
def _rank(row: int, rank: str) -> str:
    """The men of a rank. Many positions have equal ranks."""
    return "".join(
        f'<use href="#man-{letter}" x="{column}" y="{row}" width="1" height="1"/>'
        for column, _, letter in captions.men(rank)
    )


def _rings(names: Iterable[str]) -> str:
    """The rings around some squares."""
    parts = []
    for name in names:
        square = squares.parse_square(name)
        x, y = squares.file_of(square) + 0.5, 7.5 - squares.rank_of(square)
        parts.append(f'<circle class="ring" cx="{x}" cy="{y}" r=".44"/>')
    return "".join(parts)
