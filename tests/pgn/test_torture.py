"""Oddities of real PGN: small ones written out here, and the whole folder of them when it stands beside the
checkout.
"""

import csv
from pathlib import Path

import pytest

from cqlgui.pgn import archives, reader, split

_HERE = Path(__file__).resolve()
_FOLDER = _HERE.parents[2] / ".." / "shared" / "data" / "torture"


def _rows() -> list[list[str]]:
    with _HERE.with_name("torture.csv").open(encoding="ascii", newline="") as file:
        return [row for row in csv.reader(file) if row and not row[0].startswith("#")]


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row[0])
def test_folder_of_oddities_reads_as_a_lenient_reader_would(row: list[str], tmp_path: Path) -> None:
    path = _FOLDER / row[0]
    if not path.exists():
        pytest.skip(f"{row[0]} is not beside the checkout")
    with archives.open_source(path, tmp_path) as text:
        games = [reader.read_raw(raw) for raw in split.games(text)]
    counts = (
        len(games),
        sum(game.plies for game in games),
        sum(game.positions for game in games),
        sum(game.bad for game in games),
        sum(any(problem.severity == "note" for problem in game.problems) for game in games),
    )
    assert counts == tuple(int(value) for value in row[1:])


def test_latin_1_and_utf_8_twins_read_the_same() -> None:
    if not _FOLDER.exists():
        pytest.skip("the folder of oddities is not beside the checkout")
    for one, other in (("latin1-names", "utf8-names"), ("scid-latin1", "scid-latin1-expected")):
        read = []
        for name in (one, other):
            with archives.open_source(_FOLDER / f"{name}.pgn") as text:
                read.append([reader.read_raw(raw) for raw in split.games(text)])
        assert [dict(game.tags)["White"] for game in read[0]] == [
            dict(game.tags)["White"] for game in read[1]
        ]
        assert [game.words for game in read[0]] == [game.words for game in read[1]]


def read(text: str | bytes) -> list[reader.ReadGame]:
    data = text.encode() if isinstance(text, str) else text
    return [reader.read_raw(raw) for raw in split.games(split.BytesSource(data))]


@pytest.mark.parametrize("place", range(0, 300, 23))
def test_many_brackets_in_a_row_are_all_counted(place: int) -> None:
    """Also where a window of the splitter ends among them."""
    end = split._PIECE
    deep = "(" * 150 + " 1-0 " + ")" * 150
    head = '[Event "A"]\n\n1. e4 '
    filling = "{" + "x" * (end - len(head) - 2 - place) + "}"
    text = f'{head}{filling}{deep} 1... e5 *\n\n[Event "B"]\n\n1. d4 *\n'.encode()
    found = list(split.games(split.BytesSource(text)))
    assert [raw.data[:11] for raw in found] == [b'[Event "A"]', b'[Event "B"]']


# text; per game: plies, and e (error), n (note) or nothing
_CASES = {
    "bom and two games": ('\ufeff[Event "A"]\n\n *\n\n[Event "B"]\n\n *\n', [(0, ""), (0, "")]),
    "lone CR": ('[Event "x"]\r\r1. e5 *\r', [(0, "e")]),
    "tags on one line": ('[A "b\\""] [C "A]]"] [G "\\"]"] *', [(0, "")]),
    "tags and moves on one line": ('[Result "1-0"] e4 *\n[Result "*"] e4 *\n', [(1, "n"), (1, "")]),
    "blank line after the first tag": ('[Event "x"]\n\n[White "y"]\n\n1. e4 *', [(1, "")]),
    "blank lines before the moves":
        ('[Event "x"]\n\n\n\n1. e4 *\n\n\n[Event "y"]\n\n1. d4 *', [(1, ""), (1, "")]),
    "no tags": ("1. e4 e5 1-0\n1. d4 d5 0-1\n", [(2, ""), (2, "")]),
    "no tags, no results": ("1. e4 e5\n\n1. d4 d5\n", [(2, "n"), (2, "n")]),
    "comment holds a blank line and a tag": ('1. e4 {a\n\n[Event "x"]\n} e5 *', [(2, "")]),
    "comment never closed": ('1. e4 {a\n*\n\n[Event "x"]\n\n1. d4 d5 *', [(1, "e"), (2, "")]),
    "tag never closed": ('[Event "a"]\n[Site "\n\n*\n\n[Event "b"]\n\n1. d4 *', [(0, "e"), (1, "")]),
    "tag without quotes": ("[FEN 4k3/8/8/8/8/8/8/4K2R b - - 0 3]\n\n3... Kd8 *", [(1, "n")]),
    "stray tag": ('1. e4 e5\n[Site "x"]\n2. Nf3 *', [(3, "e")]),
    "DOS end of file": ("1. e4 *\n\x1a", [(1, "")]),
    "runs of NULs": ('1. e4 *\n\0\0\0\n\0\0[Event "x"]\n\n1. d4 *', [(1, ""), (1, "")]),
    "escape lines": ('% [Event "no"]\n[Event "x"]\n\n% 1. a4\n1. e4\n%a { b\ne5 *', [(2, "")]),
    "rest-of-line comments": ("1. e4 ; {not open\ne5 ; (\n*", [(2, "")]),
    "castling with zeros": ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 o-o *", [(8, "n")]),
    "en passant suffix": ("1. e4 a6 2. e5 d5 3. exd6ep *", [(5, "n")]),
    "long forms": ("1. Ng1f3 Ng8-f6 2. e2-e4 e7e5 3. Nf3xe5 d6 *", [(6, "n")]),
    "pawn capture without x": ("1. e4 d5 2. ed5 *", [(3, "")]),
    "illegal move": ("1. e4 Nf3 *", [(1, "e")]),
    "ambiguous move": ("1. Nf3 Nf6 2. Nc3 Nc6 3. Nb5 Nb4 4. Nd4 *", [(6, "e")]),
    "fault in a variation": ("1. e4 (1. e5 d5) e5 2. Nf3 *", [(3, "e")]),
    "stray parenthesis": ("1. e4 e5) 2. Nf3 *", [(3, "n")]),
    "open parenthesis": ("1. e4 e5 (1... c5 *", [(2, "e")]),
    "null moves": ("1. e4 -- 2. Z0 e5 3. @@@@ *", [(5, "n")]),
    "null move in check": ("1. e4 d5 2. Bb5+ -- 3. Nf3 *", [(3, "e")]),
    "glued result": ("1. e4 e5*", [(2, "")]),
    "spaced result": ("1. e4 e5 1/2 - 1/2\n1. d4 *", [(2, ""), (1, "")]),
    "result in a variation": ("1. e4 (1. d4 1-0 {so it was}) e5 2. d4 *", [(3, "")]),
    "text": ("I'm not a PGN file...", [(0, "e")]),
    "token": ("### <-- nothing", [(0, "e")]),
    "HTML breaks": ('[Event "?"]<br />[Site "?"]<br /><br />1. d4 d5<br />2. c4 *', [(3, "n")]),
    "unsupported variant": ('[Variant "Antichess"]\n\n1. e3 e6 *', [(0, "e")]),
    "no king": ('[FEN "8/8/5ppp/8/5PPP/8/8/8 w - - 0 1"]\n\n1. g5 *', [(0, "e")]),
    "broken FEN": ('[FEN "nonsense"]\n\n1. e4 *', [(0, "e")]),
    "lower-case promotion": ('[FEN "7k/3P4/7K/8/8/8/8/8 w - - 6 55"]\n\nd7d8r 1-0', [(1, "n")]),
    "nothing": (" \n\0\r\n", []),
    "only escapes": ("% nothing here\n", []),
}  # fmt: skip


@pytest.mark.parametrize("name", _CASES)
def test_oddity(name: str) -> None:
    text, expected = _CASES[name]
    found = []
    for game in read(text):
        severities = {
            problem.severity for problem in game.problems if "end with a result" not in problem.reason
        }
        if expected == [(2, "n"), (2, "n")]:
            severities = {problem.severity for problem in game.problems}
        found.append((game.plies, "e" if "error" in severities else "n" if severities else ""))
    assert found == expected


def test_problem_names_line_offset_move_and_reason() -> None:
    (game,) = read('[Event "é"]\r\r1. e4 e5\r2. Nf3 Nf3 *')
    (problem,) = game.problems
    assert (problem.line, problem.offset) == (4, 30)
    assert problem.reason == "move 2... Nf3 is illegal: no such piece can go there"


def test_utf_16_is_decoded_through_the_cache(tmp_path: Path) -> None:
    path = tmp_path / "wide.pgn"
    path.write_bytes('[White "Ünal"]\n\n1. e4 *\n'.encode("utf-16"))
    with archives.open_source(path, tmp_path / "cache") as text:
        (raw,) = split.games(text)
    assert reader.read_raw(raw).tags == (("White", "Ünal"),)
    (refused,) = split.games(split.BytesSource(path.read_bytes()))
    assert "UTF-16" in reader.read_raw(refused).problems[0].reason
