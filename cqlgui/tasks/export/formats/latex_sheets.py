"""Writes hits as a LaTeX document: pages of diagrams to solve, then the solutions.

The document needs the LaTeX package `chessboard` (in Debian: texlive-games). It is meant for pdflatex. Texts
of games are escaped. pdflatex stops at letters that its fonts lack, so the document has only Latin letters
and, where the fonts for them are installed, Cyrillic letters. Other signs become question marks.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.export.formats import by_column, captions

A_PAGE: Final = 6
"""Number of diagrams on a page: three rows of two."""

_HEAD: Final = r"""\documentclass[a4paper,10pt]{article}
\usepackage[margin=18mm]{geometry}
\newcommand\withcyrillic[1]{{\fontencoding{T2A}\selectfont #1}}
\newcommand\nocyrillic[1]{?}
\IfFileExists{t2aenc.def}%
  {\usepackage[T2A,T1]{fontenc}\let\cyrillic\withcyrillic}%
  {\usepackage[T1]{fontenc}\let\cyrillic\nocyrillic}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{chessboard}
\setchessboard{boardfontsize=17pt,labelfontsize=6pt,showmover=false}
\setlength\parindent{0pt}
\newcommand\puzzle[4]{% number, FEN, players and year, side to move
  \begin{minipage}[t]{.5\textwidth}\centering
  \chessboard[setfen={#2}]\par\smallskip
  \textbf{#1.} #3\par\textit{#4}
  \end{minipage}}
\newcommand\solution[3]{% number, moves, game
  \textbf{#1.} #2\par{\small #3}\par\medskip}
\begin{document}
\sloppy
"""
_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    # Two hyphens would become a dash.
    "-": "-{}",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u00a0": "~",
    "\u2026": r"\dots{}",
    "\u200b": r"\allowbreak{}",
}
_BREAK: Final = "\u200b"
"""The space without width: a place where a line may end."""
_WIDE: Final = 60
"""A word of more letters may be wider than a line, and is broken after this number of letters."""
_LONG: Final = pattern(rf"\S{{{_WIDE}}}(?=\S)")
_OF_ASCII: Final = str.maketrans({sign: words for sign, words in _SPECIAL.items() if sign.isascii()})
_LATIN: Final = pattern(
    "[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0107\u010c-\u0111\u0118-\u011b\u011e\u011f\u0139\u013a\u0141-\u0144\u0147\u0148\u0150-\u0155\u0158-\u015b\u015e-\u0165\u016e-\u0171\u0178-\u017e]"
)
"""Letters of the encoding T1."""
_CYRILLIC: Final = pattern(
    "([\u0410-\u044f\u0401\u0451\u0404\u0454\u0406\u0456\u0407\u0457\u040e\u045e\u0490\u0491]+)"
)


def document(tables: Iterable[records.Table]) -> Iterator[str]:
    """The document in parts: `A_PAGE` diagrams on each page, and after them the solutions."""
    yield _HEAD
    solutions: list[str] = []
    puzzles = itertools.chain.from_iterable(
        map(_of_record, table) if isinstance(table, list) else _of_block(table) for table in tables
    )
    for number, (puzzle, solution) in enumerate(puzzles, 1):
        if number % A_PAGE == 0:
            after = "\\clearpage\n"
        else:
            after = "%\n" if number % 2 else "\\par\\vfill\n"
        yield rf"\puzzle{{{number}}}{puzzle}{after}"
        solutions.append(solution)
    if not solutions:
        yield "There are no hits.\n"
    elif len(solutions) % A_PAGE:
        yield "\\clearpage\n"
    if solutions:
        yield "\\section*{Solutions}\n"
        for number, solution in enumerate(solutions, 1):
            yield rf"\solution{{{number}}}{solution}" + "\n"
    yield "\\end{document}\n"


_Puzzle = tuple[str, str]
"""The arguments of a diagram and of its solution after the number."""


def _of_record(record: dict[str, Any]) -> _Puzzle:
    more = captions.image(record), captions.said(record), captions.run(record), captions.judged(record)
    return _puzzle(record, _Game.of(record), map(escaped, more), captions.element(record))


def _of_block(block: hit_table.Block) -> Iterator[_Puzzle]:
    rows = by_column.rows(
        block,
        _Game.of,
        lambda record: (escaped(captions.image(record)), captions.element(record)),
        lambda record: escaped(captions.said(record)),
    )
    for (texts, number, place, game, (image, element), said), ply, run in zip(
        rows, block.plies.tolist(), by_column.runs(block), strict=True
    ):
        record = {"fen": texts[0], "ply": ply, **block.spot(number, place)}
        record.update(zip(hit_table.MOVES, texts[1:], strict=True))
        yield _puzzle(record, game, (image, said, escaped(run)), element)


@dataclass(frozen=True, slots=True)
class _Game:
    """What all diagrams and solutions of a game have, for LaTeX: players and year, and the game in words.
    `tags` are the other tags, for a comment of the file."""

    title: str
    told: tuple[str, ...]
    tags: str

    @classmethod
    def of(cls, record: dict[str, Any]) -> _Game:
        """The game of a row, or of the headers of a row."""
        title = ", ".join(text for text in (captions.players(record), captions.year(record)) if text)
        told = (
            captions.players(record),
            captions.ratings(record),
            captions.place(record),
            captions.opening(record),
        )
        return cls(escaped(title), tuple(map(escaped, told)), captions.tags(record))


def _puzzle(record: dict[str, Any], game: _Game, more: Iterable[str], element: str) -> _Puzzle:
    """`record` needs the position, its ply and the moves alone. `more` are further words for LaTeX. What
    nobody wants on paper is in a comment of the file: the ply, the moves in UCI, the element and the other
    tags."""
    moves = captions.solution(record) or "The game ended here."
    told = "; ".join(filter(None, (*game.told, escaped(captions.spot(record)), *more)))
    puzzle = f"{{{record['fen']}}}{{{game.title}}}{{{captions.to_move(record)}}}"
    course = captions.coordinates(record["last"], record["last_uci"], record["next_uci"])
    unprinted = f"ply {record['ply']}", course, element and f"element {element}", game.tags
    return puzzle, f"{{{escaped(moves)}}}{{{told}}}% {'; '.join(filter(None, unprinted))}"


def escaped(text: str) -> str:
    """The text for LaTeX, without any command of its own."""
    shown = captions.plain(text)
    if len(shown) > _WIDE:
        shown = _LONG.sub(rf"\g<0>{_BREAK}", shown)
    if shown.isascii():
        return shown.translate(_OF_ASCII)
    made = "".join(map(_sign, unicodedata.normalize("NFC", shown)))
    return _CYRILLIC.sub(r"\\cyrillic{\1}", made)


def _sign(sign: str) -> str:
    known = _SPECIAL.get(sign)
    if known is not None:
        return known
    if (sign.isascii() and sign.isprintable()) or _LATIN.fullmatch(sign) or _CYRILLIC.fullmatch(sign):
        return sign
    if sign.isspace():
        return " "
    # A Latin letter can be printed without its accents, and `½` as 1/2.
    signs = [one for one in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(one)]
    bare = "".join(signs).replace("\u2044", "/")
    return bare if bare.isascii() and bare.replace("/", "").isalnum() else "?"
