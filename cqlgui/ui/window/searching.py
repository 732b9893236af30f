"""Runs searches in the window, from the user's command to the last hit."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSignalBlocker

from cqlgui.base import priority
from cqlgui.tasks.results import hit_model, search_model
from cqlgui.tasks.results.found import FoundGames
from cqlgui.ui.look import infobar, wording
from cqlgui.ui.window import clustering as clustering_module
from cqlgui.ui.window import frame
from cqlgui.ui.window import queries_kept as queries_kept_module
from cqlgui.ui.window import rights as rights_module
from cqlgui.ui.window import showing as showing_module


class Searching(QObject):
    """Starts and stops searches, and gives their results to the parts of the window."""

    def __init__(
        self,
        main: frame.Frame,
        rights: rights_module.Rights,
        queries_kept: queries_kept_module.QueriesKept,
        showing: showing_module.Showing,
        clustering: clustering_module.Clustering,
    ) -> None:
        super().__init__(main)
        self._frame = main
        self._rights = rights
        self._queries_kept = queries_kept
        self._showing = showing
        self._clustering = clustering
        searcher, live = main.searcher, main.live
        searcher.started.connect(self._search_started)
        searcher.found.connect(self._hits_found)
        searcher.finished.connect(self._search_finished)
        searcher.rejected.connect(self._search_rejected)
        searcher.wanted.connect(lambda _wish: self._leave_hits())
        searcher.failed.connect(self._search_failed)
        searcher.abandoned.connect(self._search_abandoned)
        searcher.superseded.connect(self._leave_hits)
        searcher.running_changed.connect(lambda _running: main.changed.emit())
        searcher.running_changed.connect(lambda _running: self._connected())
        main.waiting.changed.connect(main.changed)
        main.assistance.why.busy_changed.connect(lambda _busy: main.changed.emit())
        main.editor.run_requested.connect(self.run)
        main.editor.run_requested.connect(lambda: main.pointing.set_active(False))
        main.editor.text_changed.connect(lambda _text: main.infobar.dismiss(frame.ASKING))
        main.editor.text_changed.connect(lambda text: live.change(text, rights.beside(main.editor.path)))
        live.overdue.connect(lambda: main.earlier.compare(main.editor.text()))
        main.narrower.shown.connect(self._narrowed)
        main.narrower.again.connect(self.run_text)
        main.here.asked.connect(self.run_text)
        main.assistance.run_wanted.connect(self.run_text)
        main.library.run_wanted.connect(self.run_text)
        main.studying.theme_wanted.connect(self._run_theme)
        # The games of a theme, and the query that they belong to.
        self._theme = ("", "")
        rights.run_wanted.connect(self.run)

    def run(self) -> None:
        """Search the open base for the query in the editor. A running search for another query is stopped. If
        files are being opened and no game has been read yet, the query waits for the first games."""
        priority.hold()
        text, opening = self._frame.editor.text(), self._frame.opened_anew
        if not text.strip() and (opening or self._games_there):
            self._frame.infobar.show_message(
                "Type a query first; . matches every position.", "info", key=frame.ASKING, front=True
            )
        elif opening or (self._frame.opener.busy and not self._games_there):
            self._frame.infobar.dismiss(frame.ASKING)
            self._frame.waiting.ask(text, self._frame.editor.path)
        elif not self._games_there:
            self._frame.infobar.show_message(
                "Open a PGN file first: there is nothing to search yet.",
                "info",
                self._rights.open_input(text),
                key=frame.ASKING,
                front=True,
            )
        else:
            self.search(text, self._frame.editor.path)

    @property
    def _games_there(self) -> bool:
        return self._frame.base is not None and self._frame.base.games > 0

    def search(self, text: str, path: Path | None, *, here: bool = False) -> None:
        """Search the open base for a query. `path` is the file of the query; None if the query has no
        file. With `here`, this computer searches, also if the user has chosen a cluster."""
        assert self._frame.base is not None
        self._frame.waiting.take()
        scheduler = "" if here else self._frame.cluster.address
        if self._frame.searcher.searches(self._frame.base, text, self._frame.narrower.within, scheduler):
            return
        self._frame.editor.check_now()
        self._rights.dismiss()
        for key in (frame.ASKING, frame.FOUND, frame.NARROWING, frame.FAULT):
            self._frame.infobar.dismiss(key)
        # Messages about earlier work are removed. The user has had time to read them.
        self._frame.infobar.clear("info")
        self._frame.live.asked()
        self._frame.asked = text
        self._frame.asked_early = self._frame.opener.busy
        self._frame.assistance.estimate.stop()
        kept = () if path is None else ((path, "is the query"),)
        self._frame.searcher.run(
            self._frame.base,
            text,
            self._rights.beside(path),
            self._frame.narrower.within,
            kept=kept,
            scheduler=scheduler,
        )
        if scheduler:
            # The search may wait some seconds for an answer of the scheduler.
            self._frame.hits.tell_waiting("Connecting with the cluster …")

    def stop(self) -> None:
        """Stop the search, the query that waits for games, and the work on "Why not?"."""
        self._frame.waiting.withdraw()
        self._frame.live.stop()
        self._frame.searcher.stop()
        self._frame.assistance.why.stop()

    def _connected(self) -> None:
        """The search does not wait for the cluster any more."""
        self._frame.hits.tell_waiting(self._frame.waiting.words)

    def _search_started(self, orbits: tuple[hit_model.Orbit, ...]) -> None:
        assert self._frame.base is not None
        self._connected()
        self._frame.examples.forget()
        self._frame.asked = self._frame.searcher.text
        self._frame.result = None
        self._showing.clear_limit()
        self._frame.narrower.clear()
        self._frame.continuing.clear()
        self._frame.pictures.set_result(None, None)
        self._frame.hits.tell_narrowing("")
        within = self._frame.searcher.options.within
        self._frame.hits.begin(
            self._frame.base, self._frame.base.games if within is None else len(within), orbits
        )
        self._frame.hits.asks(self._frame.asked, self._frame.searcher.options)
        self._frame.hits.tell_place("on the cluster" if self._frame.searcher.scheduler else "")
        self._frame.earlier.set_found_by(self._frame.asked, self._frame.editor.text())
        self._frame.picker.set_counts(())
        self._frame.browser.set_hits({})
        focus = self._frame.focusWidget()
        # Facets, moves and pictures show the new hits too.
        shows_hits = self._frame.tabs.currentWidget() in self._frame.views
        in_games = focus is not None and self._frame.games.isAncestorOf(focus)
        if not shows_hits and not (self._frame.searcher.live and in_games):
            self._frame.tabs.setCurrentWidget(self._frame.hits)
        if not self._frame.searcher.live:
            # The pane of a study or of duplicates may hide the hits.
            self._frame.docks.results.raise_()
        self._frame.changed.emit()

    def _hits_found(self, found: FoundGames) -> None:
        first = self._frame.hits.count == 0
        self._frame.hits.add(found)
        if first and self._frame.hits.count and not self._frame.searcher.live:
            # Show the first hit at once. The keyboard focus stays where the user is typing.
            self._frame.hits.land(0)
            self._showing.return_to_hit()
        self._showing.say_hit()

    def _search_finished(self, result: search_model.SearchResult) -> None:
        self._frame.result = result
        self._frame.hits.finish(result)
        self._frame.picker.set_counts(result.orbits, result.positions)
        self._frame.examples.show(self._frame.base, result)
        if self._frame.base is not None:
            self._frame.narrower.take(self._frame.base, result, remember=not self._frame.searcher.live)
        self._frame.continuing.set_result(self._frame.base, result)
        self._frame.pictures.set_result(self._frame.base, result)
        self._tell_failures(result)
        if self._frame.searcher.live:
            self._live_finished(result)
            return
        if self._frame.asked_early:
            self._frame.infobar.show_message(
                "Only the games that had been read were searched; search again (F5) for the rest.",
                "info",
                key=frame.ASKING,
            )
        self._queries_kept.fill_history()
        self._showing.say_hit()
        self._limit_theme(result)
        self._frame.changed.emit()

    def _tell_failures(self, result: search_model.SearchResult) -> None:
        """If the search stopped early or left out games, show the reason, because hits may be missing."""
        self._frame.infobar.dismiss(frame.FOUND)
        if result.stopped is not None:
            message = f"The search stopped at game {result.stopped.game:,}: {result.stopped.reason}"
            self._frame.infobar.show_message(message, "error", key=frame.FOUND)
        for number, notice in enumerate(result.notices):
            self._frame.infobar.show_message(notice, "info", key=f"{frame.FOUND}/{number}")
        for failed in result.failed_games[: result.stopped is None]:
            more = len(result.failed_games) - 1
            others = f" (and {more:,} more)" if more else ""
            words = f"Game {failed.game:,} was left out{others}: {failed.reason}"
            self._frame.infobar.show_message(words, "warning", key=frame.FOUND)

    def _live_finished(self, result: search_model.SearchResult) -> None:
        """Show the result of a live search. The position on the board does not change. If this position is a
        hit, the row of the hit becomes the current row."""
        game = self._frame.browser.game
        if self._frame.base is not None:
            self._frame.live.take(self._frame.base, result)
        if not result.cancelled:
            self._frame.assistance.estimate.tell(result.query, wording.games(len(result.games)))
        if game is not None and self._frame.browser.base is self._frame.base:
            self._frame.browser.set_hits(self._frame.hits.hits.hits_of(game.game))
            with QSignalBlocker(self._frame.hits.table):
                self._frame.hits.show_hit(game.game, self._frame.browser.positionid)
        self._showing.say_hit()
        self._frame.changed.emit()

    def _narrowed(self, result: search_model.SearchResult, words: str) -> None:
        """Show other hits: a part of the result, or a combination of the result with hits that the user has
        kept."""
        assert self._frame.base is not None
        self._frame.infobar.dismiss(frame.NARROWING)
        current = self._frame.hits.current()
        self._frame.result = result
        self._showing.clear_limit()
        within = result.options.within
        self._frame.hits.begin(
            self._frame.base,
            self._frame.base.games if within is None else len(within),
            result.orbits,
            keep_seen=True,
        )
        self._frame.hits.asks(result.query, result.options)
        self._frame.hits.add(result.games)
        if current is not None:
            self._frame.hits.show_hit(current.game, current.positionid)
        # A live search does not change the position on the board.
        stays = self._frame.narrower.by_itself and self._frame.searcher.live
        if self._frame.hits.table.row < 0 and not stays:
            self._frame.hits.land(0)
        self._frame.hits.finish(result)
        self._frame.hits.tell_narrowing(words)
        self._frame.continuing.set_result(self._frame.base, result)
        self._frame.pictures.set_result(self._frame.base, result)
        self._frame.picker.set_counts(result.orbits, result.positions)
        self._frame.examples.show(self._frame.base, result)
        if self._frame.browser.game is not None and self._frame.browser.base is self._frame.base:
            self._frame.browser.set_hits(self._frame.hits.hits.hits_of(self._frame.browser.game.game))
        self._showing.say_hit()
        self._frame.changed.emit()

    def _search_rejected(self, found: tuple[object, ...]) -> None:
        self._frame.editor.check_now()
        # The editor marks the place of the mistake, and may be behind another pane.
        self._frame.show_editor()
        first = getattr(found[0], "message", "") if found else ""
        self._leave_hits()
        if self._frame.assistance.refuse_old(self._frame.asked):
            return
        self._frame.infobar.show_message(f"The query cannot be run: {first}", "error", key=frame.ASKING)

    def _leave_hits(self) -> None:
        """Keep the hits of the last query that ran, because the new query did not run."""
        if self._frame.hits.running:
            self._frame.hits.fail("Stopped for another query.")

    def _search_abandoned(self) -> None:
        self._frame.hits.fail("Stopped before it began.")

    def _search_failed(self, sentence: str) -> None:
        self._frame.hits.fail(sentence)
        text, path = self._frame.asked, self._frame.editor.path
        actions: tuple[infobar.Action, ...] = ()
        if self._frame.searcher.scheduler:
            actions = (
                ("Search here", lambda: self.search(text, path, here=True)),
                ("Change the cluster…", self._clustering.ask),
            )
        self._frame.infobar.show_message(sentence, "error", *actions, key=frame.ASKING)

    def _run_theme(self, text: str, title: str, games: str) -> None:
        """Search with a query of a study. The line of games narrows the hits when they are found."""
        self._theme = (text, games)
        self.run_text(text, title)

    def _limit_theme(self, result: search_model.SearchResult) -> None:
        (text, games), self._theme = self._theme, ("", "")
        if games and text == self._frame.asked and not result.cancelled:
            self._frame.hits.line.put(games)
            self._frame.narrower.set_games(games)

    def run_text(self, text: str, title: str) -> None:
        """Put a query into the editor and run the query."""
        self._frame.take_query(text, title)
        self.run()
