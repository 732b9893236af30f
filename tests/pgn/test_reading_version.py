"""What is read of a game stands in indexes, so that a new way of reading needs a new version of them."""

from __future__ import annotations

import hashlib
import json

from cqlgui.pgn import reader, split
from cqlgui.store import index

RECORDED = (6, "c9e47acc01f35e7bc0b46c673ad4414b1f98ba149425fd94c1611e8225230c87")
"""The version of the index, and the digest of what is read of the texts below."""

_PLACES = (
    '{}[Event "x"]\n[White "A"]\n\n1. e4 d5 (1... e5 2. Nf3) 2. exd5 Nf6 1-0\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n{}\n[White "A"]\n\n1. e4 d5 (1... e5 2. Nf3) 2. exd5 Nf6 1-0\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n[White "A{}"]\n\n1. e4 d5 (1... e5 2. Nf3) 2. exd5 Nf6 1-0\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n[White "A"]\n\n{} 1. e4 d5 (1... e5 2. Nf3) 2. exd5 Nf6 1-0\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n[White "A"]\n\n1. e4{} d5 (1... e5 2. Nf3) 2. exd5 Nf6 1-0\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n[White "A"]\n\n1. e4 d5 (1... e5 {} 2. Nf3) 2. exd5 Nf6 1-0\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n[White "A"]\n\n1. e4 d5 (1... e5 2. Nf3) 2. exd5{} Nf6 1-0\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n[White "A"]\n\n1. e4 d5 (1... e5 2. Nf3) 2. exd5 Nf6 {} 1-0\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n[White "A"]\n\n1. e4 d5 (1... e5 2. Nf3) 2. exd5 Nf6 1-0 {}\n\n[Event "y"]\n\n1. d4 *\n',
    '[Event "x"]\n[White "A"]\n\n1. e4 d5 (1... e5 2. Nf3) 2. exd5 Nf6 1-0\n\n{}\n\n[Event "y"]\n\n1. d4 *\n',
)
_ODD = (
    "{", "}", "{c}", "{c", "(", ")", "()", "(c)", "[", "]", '"', "\\", ";", "; c\n", "%", "\n%c\n", "$",
    "$1", "$999", "!", "!?", "???", "+", "#", "+-", "=", "=Q", "x", "-", "--", "Z0", "null", "@@@@", ".",
    "..", "...", "…", ",", ":", "e.p.", " e.p.", "ep", " e. p.", " E.P.", "/e.p.", "1",
    "1.", "1. ", "2...", "3. Nc3", "2003",
    "1. Runde", "Board 1.", "1-0", "0-1", "1/2", "1/2-1/2", "1:0", "*", "**", "* *", "e4", "Nf3", "Qxd5",
    "e2e4", "Ng1-f3", "O-O", "0-0-0", "Kxe8", "a8=Q", "a8(Q)", "N", "junk", "junk, and more.", "Ünal",
    "♘f3", "<br>", "<diagram>", "\n", "\n\n", "\n\n1. c4 ", "\r", "\t", "\x0b", "\x00", "\x1a", "\ufeff",
    "\u00a0", "\u2028", '[FEN "8/8/8/8/4k3/8/6K1/7R w - -"]', '[FEN "x"]', '[SetUp "1"]',
    '[Variant "Atomic"]', '[Variant "Chess960"]', '[Result "0-1"]', '[WhiteElo "2x"]', "[Event]",
    '[Event "z', "[[", 'Event "z"]', "[Event z]", "(1. c4 c5)", "({c} 1... c5)", "{a {b} c}",
    "{[%csl Ga1]}", "a b c d e4",
)  # fmt: skip


def test_another_way_of_reading_goes_with_another_version_of_the_index() -> None:
    read = [_read(place.replace("{}", odd, 1)) for place in _PLACES for odd in _ODD]
    digest = hashlib.sha256(json.dumps(read).encode()).hexdigest()
    assert (index.VERSION, digest) == RECORDED, (
        "What is read of these texts has changed: raise `index.VERSION`, then renew `RECORDED`."
    )


def _read(text: str) -> list[object]:
    games = [reader.read_raw(raw) for raw in split.games(split.BytesSource(text.encode()))]
    return [[game.start_fen, [int(word) for word in game.words], game.tags, game.bad] for game in games]
