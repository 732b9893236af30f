"""Tells the row of a hit in words, for formats that people read: diagrams, cards and pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from cqlgui.base import plurals
from cqlgui.base.patterns import pattern

_CONTROL = pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def plain(text: str) -> str:
    """The text on one line, without control characters."""
    return _CONTROL.sub(" ", text).strip()


def players(record: dict[str, Any]) -> str:
    """Both players, such as `Short - Vaganian`."""
    return f"{plain(record['white']) or '?'} - {plain(record['black']) or '?'}"


def year(record: dict[str, Any]) -> str:
    """The year of the game; empty if it is unknown."""
    found = str(record["date"])[:4]
    return found if found.isascii() and found.isdigit() else ""


def place(record: dict[str, Any]) -> str:
    """Event, site, round, date and result as far as they are known, separated by commas."""
    number = plain(record["round"])
    known = [plain(record[name]) for name in ("event", "site")]
    known += [f"round {number}" if number not in ("", "?", "-") else "", _date(record)]
    return ", ".join(text for text in (*known, plain(record["result"])) if text.strip("?.*-"))


def _date(record: dict[str, Any]) -> str:
    """The date as far as it is known, such as `1984` for `1984.??.??`."""
    return plain(record["date"]).split(".?")[0]


def opening(record: dict[str, Any]) -> str:
    """The code of the opening and its name."""
    return " ".join(plain(record[name]) for name in ("eco", "opening")).strip("? ")


def to_move(record: dict[str, Any]) -> str:
    """`White to move` or `Black to move`."""
    return "Black to move" if _black(record["fen"]) else "White to move"


def solution(record: dict[str, Any]) -> str:
    """The moves that followed, with their numbers: `23.Qxh7+ Kxh7 24.Rh3#`. Empty at the end of a game."""
    fields = record["fen"].split()
    number, black = int(fields[5]), _black(record["fen"])
    told = []
    for place_of, san in enumerate(record["next"].split()):
        if black:
            told.append(san if place_of else f"{number}...{san}")
            number += 1
        else:
            told.append(f"{number}.{san}")
        black = not black
    return " ".join(told)


def image(record: dict[str, Any]) -> str:
    """The transform of the primary match in words; empty if the hit has no match, or if the query matches as
    it is written."""
    orbit = record["orbit"]
    return str(orbit[0]["words"]) if orbit and orbit[0]["transform"] != "<>" else ""


def element(record: dict[str, Any]) -> str:
    """The number of the element of the primary match, and its transform as CQL writes it: `3 <flip>`. Empty
    if the hit has no match."""
    orbit = record["orbit"]
    return f"{orbit[0]['element']} {orbit[0]['transform']}" if orbit else ""


def tags(record: dict[str, Any]) -> str:
    """The tags of the game that have no column of their own: `Annotator: Someone, WhiteTitle: GM`."""
    return ", ".join(f"{plain(name)}: {plain(text)}" for name, text in record["tags"].items())


def coordinates(last: str, last_uci: str, next_uci: str) -> str:
    """The move that led to the position, and the moves that followed in UCI: `after Bf5 c8f5, then f1e1
    h7h6`. Empty if there are no moves."""
    after = f"after {last} {last_uci}".rstrip() if last else ""
    return ", then ".join(filter(None, (after, next_uci))) if after else next_uci


def said(record: dict[str, Any]) -> str:
    """The value of the hit, and what the query writes there."""
    return plain(" ".join(text for text in (record["value"] or "", record["comment"]) if text))


def judged(record: dict[str, Any]) -> str:
    """What tables and an engine say of the position, from the view of the side to move; empty if they say
    nothing."""
    told = []
    if record.get("wdl") is not None:
        told.append(f"tables: {_OUTCOMES[record['wdl']]}")
    if record.get("dtz"):
        told.append(f"DTZ {record['dtz']}")
    score, mate = record.get("eval_cp"), record.get("mate")
    if mate is not None:
        many = f"{'mate' if mate > 0 else 'mated'} in {abs(mate)}" if mate else "mate"
        told.append(f"engine: {many}")
    elif score is not None:
        told.append(f"engine: {score / 100:+.2f} for the side to move")
    if record.get("best_san"):
        told.append(f"best {record['best_san']}")
    return ", ".join(told)


_OUTCOMES: Final = {
    2: "the side to move wins",
    1: "a win that the 50-move rule makes a draw",
    0: "a draw",
    -1: "a loss that the 50-move rule makes a draw",
    -2: "the side to move loses",
}
"""The outcomes of `judgement.Judgement.wdl` in words."""


def ratings(record: dict[str, Any]) -> str:
    """The ratings of both players, such as `Elo 2660 - 2600`; empty if none is known."""
    known = [str(record[name] or "?") for name in ("white_elo", "black_elo")]
    return f"Elo {' - '.join(known)}" if known != ["?", "?"] else ""


def run(record: dict[str, Any]) -> str:
    """How many hits a row stands for: `a run of 5 plies, from ply 12 to ply 16`, or `5 hits in the game`.
    Empty for a row that is one hit."""
    if "plies" in record:
        length = plurals.counted(record["plies"], "ply", "plies")
        return f"a run of {length}, from ply {record['ply']} to ply {record['until']}"
    if "hits" in record:
        return f"{plurals.hits(record['hits'])} in the game"
    return ""


def spot(record: dict[str, Any]) -> str:
    """Where the position is: `game 12 of some.pgn, position 34`."""
    file = record["file"].replace("\\", "/").rpartition("/")[2]
    return plain(f"game {record['gamenumber']} of {file}, position {record['positionid']}")


def men(fen: str) -> Iterator[tuple[int, int, str]]:
    """The men of a FEN: the column from the a-file, the row from the eighth rank, both from 0, and the letter
    of the man."""
    for row, rank in enumerate(fen.split()[0].split("/")):
        column = 0
        for sign in rank:
            if sign.isdigit():
                column += int(sign)
            else:
                yield column, row, sign
                column += 1


def _black(fen: str) -> bool:
    return str(fen.split()[1]) == "b"
