"""Stories of people who want to know something about a theme: what the window tells them is what plain code
with python-chess counts in the same games.

Each leaves pictures of the window, as `test_stories` does.
"""

from __future__ import annotations

import collections
import functools
import io
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.jit import native
from cqlgui.tasks.pictures import histograms
from cqlgui.ui.pictures import asking
from cqlgui.ui.window import main_window
from tests.whole.scenario.persons import Person

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code"),
]

GAMES = 160
GREEK_GIFT = "flipvertical {Bh7 kg8 check}"
PLIES = 6
Place = tuple[int, int]
"""A hit: the game's number from 1, and the ply."""


def text() -> str:
    """Games of the sample, in which most players have a rating."""
    chooser = random.Random(7)

    def tags() -> str:
        made = [f'[{side}Elo "{chooser.randrange(2150, 2850)}"]' for side in ("White", "Black")]
        return "".join(f"{tag}\n" for tag in made if chooser.random() < 0.8)

    games = resource("sample/sample.pgn").read_text("utf-8").split("\n\n[Event ")[:GAMES]
    return "\n\n[Event ".join(re.sub(r"(?=\[ECO)", tags(), game) for game in games)


@pytest.fixture
def person(qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path) -> Person:
    """Somebody who has opened these games."""
    path = tmp_path / "rated.pgn"
    path.write_text(text(), "utf-8")
    main.begin([path])
    somebody = Person(main, qtbot)
    somebody.pose()
    somebody.until(lambda: main.browser.game is not None and not main.opener.busy)
    assert main.base is not None
    assert main.base.games == GAMES
    return somebody


@functools.cache
def played() -> tuple[tuple[chess.pgn.Headers, tuple[chess.Move, ...]], ...]:
    """The tags and the moves of the games."""
    file = io.StringIO(text())
    games = (chess.pgn.read_game(file) for _ in range(GAMES))
    return tuple((game.headers, tuple(game.mainline_moves())) for game in games if game is not None)


@functools.cache
def checks() -> dict[Place, chess.Board]:
    """The positions in which the side to move is in check."""
    found = {}
    for number, (_, line) in enumerate(played(), 1):
        board = chess.Board()
        for ply, move in enumerate(line, 1):
            board.push(move)
            if board.is_check():
                found[number, ply] = board.copy(stack=False)
    return found


def images(board: chess.Board) -> Iterator[tuple[chess.Board, bool, Callable[[int], int]]]:
    """A position, itself and with wings, colours or both changed: the image, whether colours are swapped, and
    the image of each square."""
    for swapped, turned in ((False, False), (False, True), (True, False), (True, True)):
        image = board.mirror() if swapped else board
        mask = (56 if swapped else 0) ^ (7 if turned else 0)
        yield image.transform(chess.flip_horizontal) if turned else image, swapped, mask.__xor__


@functools.cache
def greek_gifts() -> dict[Place, tuple[bool, Callable[[int], int]]]:
    """The hits of the Greek gift for either colour, with the frame in which White gives it to h7."""
    found = {}
    for place, board in checks().items():
        for image, swapped, square in images(board):
            bishop, king = image.piece_at(chess.H7), image.piece_at(chess.G8)
            if bishop == chess.Piece.from_symbol("B") and king == chess.Piece.from_symbol("k"):
                found[place] = swapped, square
    return found


def after(place: Place) -> tuple[chess.Board, tuple[chess.Move, ...]]:
    """The position of a hit and the next moves."""
    game, ply = place
    line, board = played()[game - 1][1], chess.Board()
    for move in line[:ply]:
        board.push(move)
    return board, line[ply : ply + PLIES]


def arrivals(place: Place) -> set[str]:
    """The squares of the frame where knights of the side that gave the bishop arrive."""
    swapped, image = greek_gifts()[place]
    board, line = after(place)
    found = set()
    for move in line:
        if board.piece_at(move.from_square) == chess.Piece(chess.KNIGHT, not swapped):
            found.add(chess.square_name(image(move.to_square)))
        board.push(move)
    return found


def ways_from_f3(place: Place) -> set[str]:
    """What becomes of the knight that stands on f3 in the frame; empty if there is none."""
    swapped, image = greek_gifts()[place]
    board, line = after(place)
    at, reached = image(chess.F3), set[str]()
    if board.piece_at(at) != chess.Piece(chess.KNIGHT, not swapped):
        return reached
    for move in line:
        if move.to_square == at:
            return reached | {"is captured"}
        if move.from_square == at:
            at = move.to_square
            reached.add(chess.square_name(image(at)))
    return reached or {"does not move"}


def reply(place: Place) -> str:
    """The next move after a hit in the frame, as the window writes it; empty if the game ends."""
    _, image = greek_gifts()[place]
    board, line = after(place)
    if not line:
        return ""
    piece = board.piece_at(line[0].from_square)
    assert piece is not None
    takes = "x" if board.is_capture(line[0]) else ""
    return f"1...{piece.symbol().upper()}{takes}{chess.square_name(image(line[0].to_square))}"


def tally(parts: dict[Place, Iterable[str]]) -> dict[str, tuple[int, int]]:
    """The number of hits and of games of each word."""
    hits = collections.Counter(word for words in parts.values() for word in words)
    games = collections.Counter(
        word for _, word in {(place[0], word) for place, words in parts.items() for word in words}
    )
    return {word: (count, games[word]) for word, count in hits.items()}


def rows(table: QTableView) -> list[list[str]]:
    """What is read in a table."""
    model = table.model()
    return [
        [str(model.index(row, column).data() or "") for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def number(text: str) -> int:
    """A number as the window writes it."""
    return int(re.sub(r"\D", "", text))


def settled(person: Person) -> None:
    """Wait until everything is counted."""
    person.until(lambda: not person.main.jobs.count)


def pictured(person: Person) -> dict[str, tuple[int, int]]:
    """The numbers of hits and of games beside a picture."""
    person.until(lambda: person.main.pictures.picture is not None)
    settled(person)
    return {
        words: (number(hits), number(games or "0"))
        for words, hits, _, games in rows(person.main.pictures.table)
    }


def test_where_knights_go_after_the_greek_gift_and_what_is_replied(person: Person) -> None:
    main, gifts = person.main, greek_gifts()
    found = person.ask(f"flipcolor {GREEK_GIFT}")
    assert {(hit.game, hit.positionid) for hit in map(main.hits.hit_at, range(main.hits.count))} == set(gifts)
    person.open_tab("Pictures")
    person.choose("Kind of picture", asking.Kind.ARRIVALS.value)
    person.choose("Men", "White knights")
    person.choose("Plies after the hit", f"within {PLIES} plies")
    person.press("Query's frame")
    to = {place: arrivals(place) for place in gifts}
    assert pictured(person) == tally(to)
    person.look("g1-knights")
    # The way of the knight that defends h4 and g5.
    person.choose("Kind of picture", asking.Kind.WAYS.value)
    person.choose("First square", "from f3")
    ways = tally({place: ways_from_f3(place) for place in gifts})
    assert {word: hits for word, (hits, _) in pictured(person).items()} == {
        word: hits for word, (hits, _) in ways.items()
    }
    person.look("g2-ways")
    person.open_tab("Moves")
    settled(person)
    assert main.continuing.own_frame.isChecked()
    of_both = {move: number(hits) for move, hits, *_ in rows(main.continuing.table)}
    next_moves = collections.Counter(map(reply, gifts))
    ended = next_moves.pop("", 0)
    assert of_both == next_moves
    assert sum(of_both.values()) + ended == found.positions
    person.look("g3-moves")
    # The query and its twin of the other colour, each alone.
    by_black = sum(swapped for swapped, _ in gifts.values())
    assert person.ask(GREEK_GIFT).positions == len(gifts) - by_black
    settled(person)
    of_white = {move: number(hits) for move, hits, *_ in rows(main.continuing.table)}
    assert person.ask("flipvertical {bh2 Kg1 check}").positions == by_black
    settled(person)
    of_black = {move: number(hits) for move, hits, *_ in rows(main.continuing.table)}
    assert of_white
    assert of_black
    twins = collections.Counter(of_white)
    for move, count in of_black.items():
        name = move.removeprefix("1.")
        twins[f"1...{name[:-1]}{9 - int(name[-1])}"] += count
    assert twins == of_both


def decade(tags: chess.pgn.Headers) -> str:
    return f"{tags['Date'][:3]}0s"


def band(tags: chess.pgn.Headers) -> str:
    known = [int(tags[name]) for name in ("WhiteElo", "BlackElo") if name in tags]
    first = sum(known) // len(known) // 200 * 200 if known else 0
    return f"{first}-{first + 199}" if known else "unknown"


def facet_rows(person: Person, title: str) -> dict[str, QTreeWidgetItem]:
    """The rows of a facet, opened."""
    tree = person.main.facets.tree
    settled(person)
    tops = [one for row in range(tree.topLevelItemCount()) if (one := tree.topLevelItem(row)) is not None]
    group = next(one for one in tops if one.text(0) == title)
    group.setExpanded(True)
    below = [one for row in range(group.childCount()) if (one := group.child(row)) is not None]
    return {one.text(0).removeprefix("✓ "): one for one in below}


def facet(person: Person, title: str) -> dict[str, tuple[int, int]]:
    """The numbers of hits and of games of each value of a facet with hits."""
    read = {
        words: (number(row.text(2)), number(row.text(1))) for words, row in facet_rows(person, title).items()
    }
    return {words: counts for words, counts in read.items() if counts[0]}


def click_facet(person: Person, title: str, words: str) -> None:
    tree = person.main.facets.tree
    row = facet_rows(person, title)[words]
    tree.scrollToItem(row)
    person.click(tree.viewport(), tree.visualItemRect(row).center())
    settled(person)


def test_hits_by_decade_and_by_rating_in_facets_and_pictures(person: Person) -> None:
    main = person.main
    person.ask("check")
    tags = [tags for tags, _ in played()]

    def by(key: Callable[[chess.pgn.Headers], str], among: Iterable[Place]) -> dict[str, tuple[int, int]]:
        return tally({place: [key(tags[place[0] - 1])] for place in among})

    assert main.hits.count == len(checks())
    person.open_tab("Facets")
    assert facet(person, "Decade") == by(decade, checks())
    assert facet(person, "Mean rating") == by(band, checks())
    person.look("h1-facets")
    click_facet(person, "Decade", "1990s")
    nineties = [place for place in checks() if decade(tags[place[0] - 1]) == "1990s"]
    assert main.hits.count == len(nineties)
    assert facet(person, "Decade") == by(decade, checks()), "another decade can still be chosen"
    assert facet(person, "Mean rating") == by(band, nineties)
    strong = [place for place in nineties if band(tags[place[0] - 1]) == "2400-2599"]
    click_facet(person, "Mean rating", "2400-2599")
    assert main.hits.count == len(strong)
    person.look("h2-clicked")
    main.facets.tree.setFocus()
    person.key(Qt.Key.Key_Escape)
    settled(person)
    assert main.hits.count == len(checks())
    person.open_tab("Pictures")
    for kind, key in ((asking.Kind.YEAR, year), (asking.Kind.MEAN_ELO, rating)):
        person.choose("Kind of picture", kind.value)
        bars = pictured(person)
        person.look(f"h3-{kind.name.lower()}")
        expected = {words: [p for p in checks() if key(tags[p[0] - 1]) in span(words)] for words in bars}
        assert bars == {words: (len(own), len({game for game, _ in own})) for words, own in expected.items()}
        assert sum(hits for hits, _ in bars.values()) == len(checks())
    # A click on the highest bar.
    shown = main.pictures.picture
    assert isinstance(shown, histograms.Histogram)
    highest = max(shown.bars, key=lambda bar: bar.positions)
    canvas = main.pictures.canvas
    assert canvas is not None
    person.click(canvas.viewport(), canvas.pixel(sum(highest.keys) / 2, highest.positions / 2))
    settled(person)
    assert main.hits.count == len(expected[highest.words])
    person.look("h4-narrowed")


def year(tags: chess.pgn.Headers) -> int:
    return int(tags["Date"][:4])


def rating(tags: chess.pgn.Headers) -> int:
    known = [int(tags[name]) for name in ("WhiteElo", "BlackElo") if name in tags]
    return sum(known) // len(known) if known else 0


def span(words: str) -> range:
    """The numbers of a bar."""
    if words == "unknown":
        return range(1)
    first, *last = map(int, re.findall(r"\d+", words))
    return range(first, (last or [first])[0] + 1)


def test_two_versions_of_a_query_are_compared(person: Person) -> None:
    main = person.main
    black = {place for place, board in checks().items() if board.turn == chess.BLACK}
    former = {place for place in black if place[1] > 40}
    later = {place for place in black if 30 < place[1] < 90}
    later |= {place for place, board in checks().items() if board.is_checkmate()}
    person.ask("btm check ply > 40")
    assert main.hits.count == len(former)
    person.open_tab("Sets")
    person.press("&Keep the hits shown")
    person.ask("{btm check ply > 30 ply < 90} or mate")
    assert main.hits.count == len(later)
    person.open_tab("Sets")
    person.press("Compare")
    settled(person)
    before, after = ({game for game, _ in places} for places in (former, later))
    moved = {game for game, _ in former ^ later} & before & after
    buttons = {
        "added": {place for place in later if place[0] not in before},
        "lost": {place for place in former if place[0] not in after},
        "moved": {place for place in later if place[0] in moved},
    }
    person.look("i1-compared")
    for word, places in buttons.items():
        games = len({game for game, _ in places})
        assert places
        person.open_tab("Sets")
        person.press(f"{games} game{'s' * (games != 1)} {word}")
        settled(person)
        shown = {(hit.game, hit.positionid) for hit in map(main.hits.hit_at, range(main.hits.count))}
        assert shown == places
    person.look("i2-moved")
