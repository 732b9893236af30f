"""Writes rows as EPD (PGN standard, 16.2). The columns of a block become lines without an object for each
hit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from cqlgui.tasks.export import framing, hit_table, records
from cqlgui.tasks.export.formats import by_column, captions

_LONGEST: Final = 200
"""Longer texts are cut, because the lines should not be long."""
_REPLACED: Final = str.maketrans({'"': "'", "\\": "/"})
"""Replacements for characters that texts must not contain: the quotation mark, and the backslash, which some
programs read as an escape."""
_NO_MOVES: Final = ("", "--")
"""A null move is no move in EPD."""


def lines(tables: Iterable[records.Table]) -> Iterator[str]:
    """The rows of several tables as lines, some at a time.

    The counters that a FEN has and an EPD lacks are the operations `hmvc` and `fmvn`. `sm` is the move that
    was supplied, which is the move that was played. `eco` is the code of the opening. Only an engine gives a
    best move (`bm`), an evaluation (`ce`) and a direct mate (`dm`). Comments have the rest: players (c0), the
    moves that followed (c1), the transform (c2), the game (c3), the text of the query (c4), the value (c5),
    what tables say and a mate of the side to move (c6), how many hits the line stands for (c7), the ratings
    (c8), and the file with the number of the game in it (c9).

    Operations of our own have the rest of the row: the half-moves before the position (`ply`), the move that
    led to it (`last`), the moves that followed in UCI (`uci`), the element of the primary match with its
    transform (`element`), and the tags of the game without a column (`tags`).
    """
    for table in tables:
        if isinstance(table, list):
            yield "".join(map(_line, table))
        else:
            yield "".join(_of_block(table))


def _line(record: dict[str, Any]) -> str:
    taken = record.get(framing.NORMALISED, "")
    image = captions.image(record)
    if framing.NORMALISED in record:
        image = "as played" if taken is None else taken or "as written"
    comments = (
        _players(record),
        _comment(1, record.get(framing.MOVES) or record["next"]),
        _comment(2, image),
        _comment(3, captions.place(record)),
        _comment(4, record["comment"]),
        _comment(5, record["value"] or ""),
        _comment(6, _judged_words(record)),
        _comment(7, captions.run(record)),
        _ratings(record),
        _place(record["file"], record["gamenumber"]),
        _opening(record),
        _own("tags", captions.tags(record)),
        _own("element", captions.element(record)),
        _course(record["ply"], record["last"], record["last_uci"], record["next_uci"]),
    )
    spot = record["game"], record["positionid"]
    return _joined(record["fen"], *spot, "".join(comments), record["san"], _judged(record))


def _judged(record: dict[str, Any]) -> str:
    """What an engine says, as operations."""
    told = {
        "bm": record.get("best_san") or None,
        "ce": record.get("eval_cp"),
        "dm": record["mate"] if (record.get("mate") or 0) > 0 else None,
    }
    return "".join(f" {opcode} {operand};" for opcode, operand in told.items() if operand is not None)


def _judged_words(record: dict[str, Any]) -> str:
    """What EPD has no opcodes for: the answer of the tables, and the number of moves until the side to move
    is mated."""
    mated = record.get("mate") is not None and record["mate"] <= 0
    names = ("wdl", "dtz", "mate") if mated else ("wdl", "dtz")
    return ", ".join(f"{name} {record[name]}" for name in names if record.get(name) is not None)


def _of_block(block: hit_table.Block) -> Iterator[str]:
    rows = by_column.rows(
        block,
        lambda record: (
            _players(record),
            _comment(3, captions.place(record)),
            _ratings(record),
            _opening(record) + _own("tags", captions.tags(record)),
        ),
        lambda record: (_comment(2, captions.image(record)), _own("element", captions.element(record))),
        lambda record: _comment(4, record["comment"]) + _comment(5, record["value"] or ""),
    )
    for (texts, game, place, (players, where, ratings, opening), (image, element), said), ply, run in zip(
        rows, block.plies.tolist(), by_column.runs(block), strict=True
    ):
        fen, *moves = texts
        last, last_uci, san, _, after, next_uci = moves
        # Moves have no character that must be replaced.
        followed = f' c1 "{after[:_LONGEST]}";' if after else ""
        file = _place(block.file, game - block.first + 1)
        comments = f"{players}{followed}{image}{where}{said}{_comment(7, run)}{ratings}{file}{opening}"
        yield _joined(fen, game, place, f"{comments}{element}{_course(ply, last, last_uci, next_uci)}", san)


def _joined(fen: str, game: int, place: int, comments: str, san: str, judged: str = "") -> str:
    board, halfmoves, number = fen.rsplit(" ", 2)
    move = "" if san in _NO_MOVES else f" sm {san};"
    spot = f"game {game} position {place}"
    return f'{board} id "{spot}";{comments} fmvn {number}; hmvc {halfmoves};{move}{judged}\n'


def _players(record: dict[str, Any]) -> str:
    return _comment(0, f"{record['white']} - {record['black']}")


def _ratings(record: dict[str, Any]) -> str:
    return _comment(8, captions.ratings(record))


def _place(file: str, number: int) -> str:
    """The file and the number of the game in the file. A long name of a file is cut at its beginning."""
    words = f", game {number}"
    return _comment(9, file[-(_LONGEST - len(words)) :] + words)


def _opening(record: dict[str, Any]) -> str:
    """The code of the opening as an operation; empty if it is unknown."""
    code = captions.plain(record["eco"]).translate(_REPLACED).strip("?- ")[:_LONGEST]
    return f' eco "{code}";' if code else ""


def _course(ply: int, last: str, last_uci: str, next_uci: str) -> str:
    """The half-moves before the position, the move that led to it, and the moves that followed in UCI."""
    before = f' last "{last} {last_uci}";' if last else ""
    after = f' uci "{next_uci}";' if next_uci else ""
    return f" ply {ply};{before}{after}"


def _own(opcode: str, text: str) -> str:
    """A text as an operation of our own, which is not cut; empty for an empty text."""
    return f' {opcode} "{text.translate(_REPLACED)}";' if text else ""


def _comment(number: int, text: str) -> str:
    """A comment as an operation; empty for an empty text."""
    return f' c{number} "{captions.plain(text).translate(_REPLACED)[:_LONGEST]}";' if text else ""
