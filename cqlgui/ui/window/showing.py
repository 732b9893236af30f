"""What the board shows: a game, a hit, or the orbit element under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSignalBlocker

from cqlgui.pattern import pictures
from cqlgui.tasks.results import base_model, hit_model
from cqlgui.ui.window import frame


class Showing(QObject):
    """Shows games and hits on the board, and describes the current hit below the board."""

    def __init__(self, main: frame.Frame) -> None:
        super().__init__(main)
        self._frame = main
        hits, picker, board = main.hits, main.picker, main.board
        main.earlier.changed.connect(self.mark_hits)
        main.pointing.mode_changed.connect(self._mode_changed)
        picker.element_hovered.connect(self._element_hovered)
        picker.element_left.connect(lambda: board.set_ghost(None))
        picker.element_chosen.connect(self._element_chosen)
        picker.selection_cleared.connect(self.clear_limit)
        hits.current_changed.connect(self.show_hit)
        hits.hits.told.connect(self._hits_told)
        hits.hits.released.connect(self.return_to_hit)
        hits.opened.connect(lambda _game, _position, row: self._open_row(row))
        hits.limit_removed.connect(self.clear_limit)
        hits.limited.connect(self._limited)
        hits.arranged.connect(self._rearranged)
        main.games.opened.connect(self.show_game)
        main.duplicates.opened.connect(self.show_game)
        main.anticipation.opened.connect(lambda game, positionid: self.show_line(game, positionid, 0))
        main.anticipation.here_wanted.connect(self._anticipate)
        main.browser.shown.connect(self._browsed)
        main.browser.normalised_changed.connect(self._normalised)
        main.hitbar.stepped.connect(self.next_hit)
        main.continuing.line_wanted.connect(self.show_line)
        main.continuing.line_previewed.connect(self.show_line)
        main.studying.example_wanted.connect(self._show_example)

    def _hits_told(self, games: list[int]) -> None:
        """Show the details that the interpreter has computed for the hits of some games."""
        for game in games:
            if game == self._frame.browser.asked:
                self._frame.browser.tell(game, self._frame.hits.hits.hits_of(game))

    def return_to_hit(self) -> None:
        """Return to the hit of the last session when the query of the last session is run again."""
        hits = self._frame.hits
        query, game, place = self._frame.wanted_hit
        row = hits.hits.row_of(game, place) if game else -1
        if row >= 0 and hits.table.row >= 0:
            self._frame.wanted_hit = ("", 0, 0)
            if query == self._frame.asked and hits.table.row == 0:
                hits.table.go_to(row)
                hits.choose()

    def mark_hits(self) -> None:
        """Mark the hits as outdated if the hits were found with another query than the query in the editor,
        or in other files."""
        if self._frame.opened_anew and self._frame.base is not None:
            self._frame.hits.tell_earlier("of other files")
        else:
            self._frame.hits.tell_earlier("of an earlier query" if self._frame.earlier.differs else "")
        self._frame.editor.offer_run(self._frame.earlier.differs)
        self.say_hit()

    def show_game(self, game: int) -> None:
        """Show a game on the board, at its first hit if the game has hits."""
        if self._frame.base is None:
            return
        found = self._frame.hits.hits.hits_of(game)
        self._frame.browser.open(self._frame.base, game, min(found) if found else 0, found)

    def show_hit(self, row: int) -> None:
        """Show the hit of a row on the board."""
        if self._frame.hits.table.hasFocus():
            # A user who steps through the hits wants to see games, and not the pattern.
            self._frame.pointing.set_active(False)
        self._frame.live.seen()
        hit = self._frame.hits.hit_at(row)
        if self._frame.base is not None:
            self._frame.browser.open(
                self._frame.base, hit.game, hit.positionid, self._frame.hits.hits.hits_of(hit.game)
            )

    def _rearranged(self, wished: bool) -> None:
        """Show the hit of the current row after the rows have changed. The row of a game or of a run may show
        another hit than the row that was current before.

        The board stays at a position that is no hit, because the user has moved on in the game. It also stays
        if a live search has arranged the rows, and not the user.
        """
        hits, browser = self._frame.hits, self._frame.browser
        game, hit = browser.game, browser.hit
        if game is None or game.game != browser.asked:
            # The game of the current row is being loaded, for the hit that the row showed before.
            current = hits.current()
            follows = current is not None and current.game == browser.asked
        else:
            if hit is not None:
                # The user may have gone to another hit of the row.
                with QSignalBlocker(hits.table):
                    hits.show_hit(game.game, hit.positionid)
            shown = hit is not None and hits.hits.row_of(game.game, hit.positionid) == hits.table.row
            follows = shown and not hits.is_current(game.game, browser.positionid)
        # The rows may be those of hits that were narrowed to nothing.
        if follows and hits.table.row >= 0 and (wished or not self._frame.searcher.live):
            self.show_hit(hits.table.row)
        self.say_hit()

    def show_line(self, game: int, positionid: int, plies: int) -> None:
        """Show the position some plies after a hit, in the frame of this hit. In preorder, each ply of a
        continuation is the next position."""
        if self._frame.base is not None:
            found = self._frame.hits.hits.hits_of(game)
            self._frame.browser.open(self._frame.base, game, positionid, found, plies)

    def _show_example(self, game: int, positionid: int) -> None:
        """Show an example of a study."""
        self._frame.pointing.set_active(False)
        self.show_line(game, positionid, 0)
        self._frame.board.setFocus()

    def _anticipate(self) -> None:
        """Look for the position on the board in the other games."""
        browser = self._frame.browser
        if browser.position is None or browser.game is None:
            self._frame.tell("No game is on the board.")
        else:
            self._frame.anticipation.compare_position(browser.position, browser.game.game)

    def next_hit(self, step: int) -> None:
        """Go to the next (+1) or previous (-1) hit, across games."""
        self._frame.pointing.set_active(False)
        self._frame.tabs.setCurrentWidget(self._frame.hits)
        self._frame.hits.next_hit(step)

    def _browsed(self, game: base_model.LoadedGame | None, positionid: int) -> None:
        if game is not None and not self._frame.restoring:
            self._frame.unrestored = None
        self._frame.infobar.dismiss(frame.GAME)
        self._frame.board.set_ghost(None)
        self._frame.hitbar.show_game(game.row if game is not None else None)
        if game is not None and not self._frame.hits.is_current(game.game, positionid):
            self._frame.hits.choose()
        if game is not None and self._frame.browser.hit is not None:
            self._frame.hits.show_hit(game.game, positionid)
        self.say_hit()
        self._frame.changed.emit()

    def say_hit(self) -> None:
        """Describe the hit on the board: its number among all hits, the move, and the transform in words."""
        game, hit = self._frame.browser.game, self._frame.browser.hit
        element = self._frame.hits.hits.shown_of(hit)[1] if hit is not None else None
        place = self._frame.hits.position_text(game.game, hit.positionid) if game is not None and hit else ""
        words = self._frame.browser.normal.words or (element.words if element else "")
        self._frame.hitbar.show_hit(place, self._frame.browser.move_text(), words)

    def _normalised(self, on: bool) -> None:
        """Show the hits transformed so that they look like the query as written, or show the hits as they
        were played."""
        self._frame.hits.hits.set_normalised(on)
        words = "Hits are shown as the query is written, in the table too; N shows them as they were played."
        self._frame.tell(words if on else "Hits are shown as they were played.")

    def _mode_changed(self, active: bool) -> None:
        """Switch to Pattern mode or to Game mode. In Pattern mode the board shows the pattern. The bars below
        the board describe the game, and are hidden in Pattern mode."""
        self._frame.hitbar.setVisible(not active)
        self._frame.here_bar.setVisible(not active)
        # In Pattern mode the results for the game's position are hidden, because they would look like
        # statements about the drawn pattern.
        self._frame.assistance.live.watch(not active)
        # In Pattern mode the palette takes width from the board. The notation may be hidden to make room.
        self._frame.split.set_drawing(active)

    def _element_hovered(self, orbit: int, element: int) -> None:
        found = self._frame.picker.element(orbit, element)
        if found is not None:
            seen = pictures.of_text(found.text)
            self._frame.board.set_ghost(seen.cells, seen.area, (found.words, found.transform))

    def _element_chosen(self, orbit: int, element: int) -> None:
        seen, found = (
            self._frame.picker.element(orbit, element),
            self._frame.hits.hits.element_at((orbit, element)),
        )
        if self._frame.hits.hits.orbits and (seen is None or found is None or seen.text != found.text):
            # The query has changed since the search, and the number of the element now means another element.
            self.clear_limit()
            words = "The hits are of another query: run this one (F5) first."
            self._frame.infobar.show_message(words, "info", key=frame.ASKING, front=True)
            return
        if found is not None and not found.positions and not self._frame.searcher.running:
            self._frame.picker.clear_selection()
            self._frame.tell("No hit matches this image.")
            return
        self._frame.board.set_ghost(None)
        # A user who picks an image wants to see the hits of the image. In Pattern mode the board would show
        # the pattern over a hit.
        self._frame.pointing.set_active(False)
        self._frame.tabs.setCurrentWidget(self._frame.hits)
        self._frame.narrower.limit((orbit, element, _words_of(found)))
        self._frame.hits.limit(orbit, element)
        self._frame.changed.emit()

    def limited_words(self) -> str:
        """The orbit element of the shown hits, in words; empty if all hits are shown."""
        limit = self._frame.hits.limited_to
        return _words_of(self._frame.hits.hits.element_at(limit) if limit else None)

    def _limited(self) -> None:
        """Select a hit after the table was limited to the hits of one element, or after this limit was
        removed."""
        if self._frame.hits.count and self._frame.hits.table.row < 0:
            self._frame.hits.select_row(0)
        self.say_hit()
        self._frame.changed.emit()

    def clear_limit(self) -> None:
        self._frame.hits.limit(None)
        self._frame.narrower.limit(None)
        self._frame.picker.clear_selection()
        self._frame.changed.emit()

    def _open_row(self, row: int) -> None:
        self.show_hit(row)
        self._frame.board.setFocus()


def _words_of(element: hit_model.ElementCount | None) -> str:
    """An orbit element in words; empty if `element` is None."""
    return (element.words or element.transform) if element else ""
