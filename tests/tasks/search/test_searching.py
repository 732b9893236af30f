"""Searching in worker processes: order, counts, limits, cancelling, workers that die or hang, rejected
queries.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cqlgui.base import errors, progress
from cqlgui.store import index
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing, sources, workspace
from cqlgui.tasks.processes import pool
from cqlgui.tasks.results import base_model, search_model, truth_codec
from cqlgui.tasks.results.found import FoundGames
from cqlgui.tasks.search import explaining, orbits, searching, worker
from tests import helpers

BLACK_MATES = '[White "A{n}"]\n[Result "1-0"]\n\n1. f4 e5 2. g4 Qh4# 0-1\n\n'
INTERPRETED = search_model.SearchOptions(compiled=False)
QUIET = '[White "B{n}"]\n[Result "*"]\n\n1. e4 {{first}} e5 2. Nf3 (2. f4 exf4) Nc6 *\n\n'


def make(tmp_path: Path, count: int) -> base_model.Base:
    """Every third game ends in mate."""
    source = tmp_path / "a.pgn"
    source.write_text(
        "".join((BLACK_MATES if n % 3 == 0 else QUIET).format(n=n) for n in range(1, count + 1))
    )
    return importing.open_base([source]).base


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    return make(tmp_path, 30)


@pytest.fixture
def own_pool():
    made = pool.Pool(size=2)
    yield made
    made.close()


def test_hits_come_in_game_order_and_the_result_is_whole(base: base_model.Base) -> None:
    seen: list[int] = []
    result = searching.search(base, "mate", on_hits=seen.extend)
    assert list(result.order) == seen == list(range(3, 31, 3))
    assert [hit.positionid for hit in result.games[3].hits] == [4]
    assert (result.games_searched, result.positions, result.positions_searched) == (30, 10, 150)
    assert (result.engine, result.cancelled, result.failed_games) == (helpers.ENGINE, False, ())


@pytest.mark.parametrize("limit", [None, 7])
def test_a_few_hits_at_a_time_are_told_together(
    base: base_model.Base, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first at once, and none is forgotten at the end."""
    options = search_model.SearchOptions(limit=limit, details=search_model.Details.NONE)
    often: list[FoundGames] = []
    monkeypatch.setattr(searching, "_REPORT_SECONDS", 0.0)
    searching.search(base, "mate", options, on_hits=often.append)
    seldom: list[FoundGames] = []
    monkeypatch.setattr(searching, "_REPORT_SECONDS", 60.0)
    result = searching.search(base, "mate", options, on_hits=seldom.append)
    assert list(itertools.chain.from_iterable(seldom)) == list(result.order) == list(range(3, 31, 3))[:limit]
    if result.engine == "compiled":
        assert len(seldom) == min(2, len(often))


def test_variations_are_searched_on_request(base: base_model.Base) -> None:
    without = searching.search(base, "Pf4 pe5 Pe4")
    found = searching.search(base, "Pf4 pe5 Pe4", search_model.SearchOptions(variations=True))
    assert not without.order
    assert len(found.order) == 20
    assert found.variations


def test_a_search_goes_on_while_an_import_commits(base: base_model.Base) -> None:
    folder = workspace.index_folder(base.sources[0].path)
    before = sources.stamp(base.sources[0])

    def commits(_: object) -> None:
        known = index.Manifest.read(folder)
        assert known is not None
        known.write(folder)
        os.utime(folder / "manifest.json", ns=(10**18, 10**18))
        assert sources.stamp(base.sources[0]) != before

    result = searching.search(base, "mate", search_model.SearchOptions(compiled=False), on_orbits=commits)
    assert list(result.order) == list(range(3, 31, 3))


def test_orbit_elements_are_counted(base: base_model.Base) -> None:
    result = searching.search(base, "flipcolor {btm mate}")
    (orbit,) = result.orbits
    counts = {element.transform: (element.games, element.positions) for element in orbit.elements}
    assert counts == {"<>": (0, 0), "<invertcolor reflect_h>": (10, 10)}
    (match,) = result.games[3].hits[0].matches
    assert orbit.elements[match.element].transform == "<invertcolor reflect_h>"
    assert (match.orbit, match.positionid) == (0, 4)


def test_sorting_orders_the_games(tmp_path: Path) -> None:
    source = tmp_path / "a.pgn"
    source.write_text("1. e4 *\n\n1. e4 e5 2. Nf3 *\n\n1. e4 e5 *\n\n")
    base = importing.open_base([source]).base
    result = searching.search(base, 'sort "plies" ply')
    assert result.order == (2, 3, 1)
    assert [result.games[game].sort_keys for game in result.order] == [(3,), (2,), (1,)]
    assert result.sort_keys[0].doc == "plies"


def test_tags_texts_and_numbers_reach_the_query(base: base_model.Base) -> None:
    assert searching.search(base, 'player white "A3"').order == (3, 30)
    assert searching.search(base, "gamenumber == 7").order == (7,)
    assert searching.search(base, "result 0-1 initial").order == tuple(range(3, 31, 3))
    # Where the tag says otherwise, the end of the text counts.
    assert searching.search(base, "result 1-0").order == ()


def test_gamenumber_counts_per_source_and_ordinals_run_on(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.pgn").write_text("1. e4 *\n\n1. d4 *\n\n")
    base = importing.open_base([tmp_path / "a.pgn", tmp_path / "b.pgn"]).base
    assert searching.search(base, "gamenumber == 2 initial").order == (2, 4)


def test_a_limit_stops_after_so_many_games(base: base_model.Base) -> None:
    assert searching.search(base, "mate", search_model.SearchOptions(limit=4)).order == (3, 6, 9, 12)


def test_a_bad_query_is_rejected_with_its_diagnostics(base: base_model.Base) -> None:
    with pytest.raises(searching.Rejected) as caught:
        searching.search(base, "matte")
    assert caught.value.diagnostics[0].span.offset == 0
    with pytest.raises(searching.Rejected) as caught:
        searching.search(base, "rotate45 Kd3")
    assert caught.value.diagnostics[0].code == "rotate45-squares"


def test_cancelling_before_anything_is_planned_ends_like_any_other() -> None:
    base = importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base
    token = progress.CancelToken()
    token.cancel()
    result = searching.search(base, "flip {Ra1 kg8}", cancel=token)
    assert (result.cancelled, result.positions, len(result.games)) == (True, 0, 0)
    assert result.orbits


def test_cancelling_keeps_what_was_found_and_is_quick(tmp_path: Path) -> None:
    base = make(tmp_path, 6000)
    cancel = progress.CancelToken()
    stopped: list[float] = []

    def stop(found: object) -> None:
        if not stopped:
            stopped.append(time.monotonic())
            cancel.cancel()

    result = searching.search(base, "mate", cancel=cancel, on_hits=stop)
    took = time.monotonic() - stopped[0]
    assert result.cancelled
    assert 0 < len(result.order) < 2000
    assert list(result.order) == sorted(result.order)
    # The goal is 0.1 s; a busy machine gets some grace.
    assert took < 1.0
    assert len(searching.search(base, "mate", search_model.SearchOptions(limit=3)).order) == 3


def test_stopped_searches_leave_workers_that_read_headers_as_before(
    tmp_path: Path, own_pool: pool.Pool
) -> None:
    """A worker is stopped wherever it is, as at the beginning of a transaction, and serves the next."""
    base = make(tmp_path, 4000)
    query = 'initial player white ~~ "^[A-Z]" == \\0'
    options = search_model.SearchOptions(workers=2)
    for number in range(20):
        cancel = progress.CancelToken()
        timer = threading.Timer(0.05 + 0.01 * number, cancel.cancel)
        timer.start()
        result = searching.search(base, query, options, cancel=cancel, pool=own_pool)
        timer.cancel()
        assert not result.failed_games
    assert len(searching.search(base, query, options, pool=own_pool).order) == 4000


SLOW = "192 == shift flip count {#Ka1>=0 #ka3>=0}"


def test_a_worker_drops_a_search_nobody_wants_and_serves_the_next(
    tmp_path: Path, own_pool: pool.Pool
) -> None:
    source = tmp_path / "long.pgn"
    moves = " ".join(f"{2 * n + 1}. Nf3 Nf6 {2 * n + 2}. Ng1 Ng8" for n in range(2000))
    source.write_text(f'[Event "long"]\n\n{moves} *\n')
    base = importing.open_base([source]).base
    with own_pool.lease(1) as crew:
        cancel = progress.CancelToken()
        threading.Timer(1.0, cancel.cancel).start()
        request = {
            "op": "search", "query": SLOW, "settings": {},
            **sources.words(base.sources[0]), "games": [0],
        }  # fmt: skip
        waiting = [request]
        work = pool.Work(
            take=lambda _size: [waiting.pop()] if waiting else [],
            message=lambda items: items[0],
            done=lambda _items, _reply: pytest.fail("the search was not slow"),
            lost=lambda _item, reason: pytest.fail(reason),
        )
        assert not crew.run(work, cancel)
        (before,) = [worker.pid for worker in crew._workers]
    options = search_model.SearchOptions(workers=1)
    assert searching.search(base, "initial", options, pool=own_pool).positions == 1
    assert own_pool.take().pid == before


def test_games_that_a_query_does_not_end_in_get_less_and_less_time(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = {
        "op": "search", "id": 1, "settings": {}, **sources.words(base.sources[0]), "games": list(range(8)),
        "query": "x=0 while (x==0) x=0",
    }  # fmt: skip
    service = worker.Service()
    monkeypatch.setattr(worker, "_Deadline", lambda limit: lambda: True)

    def failing(asked: dict[str, Any]) -> list[str]:
        """The reasons, piece by piece: whoever asked hears at once of a game that takes long."""
        reasons = []
        games = asked["games"]
        while games:
            answer = service.answer({**asked, "games": games})
            reasons += [reason for _, reason in answer["failed"]]
            games = answer["undone"]
        return reasons

    reasons = failing(request)
    seconds = [int(re.search(r"(\d+) seconds", reason)[1]) for reason in reasons]  # type: ignore[index]
    assert seconds == [100, 50, 25, 12, 6, 3, 2, 2]
    # Another query has its full time, and so has the game behind one that ended.
    mixed = {**request, "query": 'x=0 if player "B" while (x==0) x=0'}
    reasons = failing(mixed)
    assert [reason.split(" seconds")[0].split()[-1] for reason in reasons] == ["100", "50"] * 3


def test_a_killed_worker_is_replaced_and_nothing_is_lost(tmp_path: Path, own_pool: pool.Pool) -> None:
    base = make(tmp_path, 3000)
    killed: list[int] = []

    def kill(found: object) -> None:
        if not killed:
            victim = threads_worker()
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    def threads_worker() -> int:
        mine = Path(f"/proc/self/task/{threading.main_thread().native_id}/children").read_text().split()
        return int(mine[-1])

    if not Path("/proc/self/task").is_dir():
        pytest.skip("children are found through /proc here")
    result = searching.search(base, "mate", INTERPRETED, on_hits=kill, pool=own_pool)
    assert killed
    assert list(result.order) == list(range(3, 3001, 3))
    assert not result.failed_games


DEADLY = """
import os, sys, time
from cqlgui.cql.interpreting import interpreter
run = interpreter.Program.run
def deadly(self, game, host, *rest):
    if host.gamenumber == 5:
        {action}
    return run(self, game, host, *rest)
interpreter.Program.run = deadly
from cqlgui.tasks.search import worker
worker.main()
"""


@pytest.mark.allow_log("gave no answer")
@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("os._exit(9)", "died"),
        ("time.sleep(60)", "no answer"),
        ("1 / 0", "the program made a mistake in this game; please report it"),
        ("raise OverflowError('int too large')  # /", "the program made a mistake"),
        ("raise RecursionError('maximum recursion depth exceeded')", "the query nests too deep in this game"),
        ("raise MemoryError", "too much memory"),
        pytest.param(
            "bytes(5 << 30)",
            "too much memory",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="elsewhere data are not limited"),
        ),
    ],
)
def test_a_game_that_costs_its_worker_is_named_and_set_aside(
    base: base_model.Base,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    if "sleep" in action:
        # What is just slow must not be taken for hanging.
        monkeypatch.setattr(pool, "HANG_SECONDS", 5.0)
    if "/" in action:
        # The worker tells of the bug on its stderr, which is logged.
        monkeypatch.setattr(pool._log, "warning", lambda *_: None)
    deadly = pool.Pool([sys.executable, "-c", DEADLY.format(action=action)], size=2)
    try:
        result = searching.search(base, ".", INTERPRETED, pool=deadly)
    finally:
        deadly.close()
    (failed,) = result.failed_games
    assert failed.game == 5
    assert reason in failed.reason
    assert list(result.order) == [game for game in range(1, 31) if game != 5]


@pytest.mark.allow_log("worker")
def test_workers_that_never_start_are_an_error(base: base_model.Base) -> None:
    broken = pool.Pool([sys.executable, "-c", "import sys; sys.exit('no luck')"], size=2)
    with pytest.raises(errors.CqlguiError, match="cannot be started"):
        searching.search(base, "mate", INTERPRETED, pool=broken)
    broken.close()


@pytest.mark.allow_log("gave no answer")
def test_workers_that_start_but_never_say_so_are_an_error(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "SILENT_SECONDS", 0.2)
    silent = pool.Pool([sys.executable, "-c", "import time; time.sleep(60)"], size=2)
    with pytest.raises(errors.CqlguiError, match="no sign of life"):
        searching.search(base, "mate", INTERPRETED, pool=silent)
    silent.close()


def test_a_worker_ends_with_its_parent(own_pool: pool.Pool) -> None:
    worker = own_pool.take()
    assert worker.alive
    worker._stdin.close()
    worker._process.wait(timeout=10)
    worker.end()


def test_a_short_question_finds_a_worker_beside_a_search_and_keeps_it(own_pool: pool.Pool) -> None:
    own_pool.warm()
    with own_pool.lease() as crew:
        crew._workers += [own_pool.take() for _ in range(own_pool.size)]
        searching_pids = {worker.pid for worker in crew._workers}
        third = own_pool.take()
        assert third.pid not in searching_pids
        own_pool.give_back(third)
    with own_pool.lease() as crew:
        crew._workers += [own_pool.take() for _ in range(own_pool.size + 1)]
        assert {worker.pid for worker in crew._workers} == searching_pids | {third.pid}, (
            "nobody was started anew"
        )


def test_orbits_of_a_query_are_listed() -> None:
    (orbit,) = orbits.orbits("flipvertical {Kb2}")
    assert [(element.text, element.transform) for element in orbit.elements] == [
        ("Kb2", "<>"),
        ("Kg2", "<reflect_v>"),
    ]
    assert orbit.elements[1].lines == ((9, 14),)


def test_a_position_is_explained(base: base_model.Base) -> None:
    truth = explaining.explain(base, 3, 4, "mate and wtm")
    assert truth.matched
    assert [part.text for part in truth.parts] == ["mate", "wtm"]
    assert not explaining.explain(base, 3, 3, "mate").matched
    assert explaining.explain_fen("8/8/8/8/8/8/8/K1k5 w - - 0 1", "Ka1").matched
    with pytest.raises(errors.CqlguiError, match="FEN"):
        explaining.explain_fen("nonsense", "Ka1")
    with pytest.raises(errors.CqlguiError, match="no position 99"):
        explaining.explain(base, 3, 99, "mate")


def test_a_worker_explains_a_position_as_this_process_does() -> None:
    asked = "8/8/8/8/8/8/k7/2K5 w - - 0 1", "flipcolor {K attacks k} or Kc1"
    assert explaining.explain_fen(*asked, apart=True) == explaining.explain_fen(*asked)
    stopped = progress.CancelToken()
    stopped.cancel()
    with pytest.raises(errors.Cancelled):
        explaining.explain_fen(*asked, apart=True, cancel=stopped)


def test_a_long_game_is_explained_by_a_worker(tmp_path: Path, own_pool: pool.Pool) -> None:
    source = tmp_path / "long.pgn"
    moves = " ".join(f"{2 * n + 1}. Nf3 Nf6 {2 * n + 2}. Ng1 Ng8" for n in range(300))
    source.write_text(f'[Event "long"]\n\n{moves} *\n')
    base = importing.open_base([source]).base
    found = explaining.explain(base, 1, 1197, "flipcolor {Nf3 btm} and ply>5", pool=own_pool)
    assert own_pool.take().ready, "no worker was asked"
    assert found.matched
    assert (found.positionid, [part.matched for part in found.parts]) == (1197, [True, False])
    with pytest.raises(errors.CqlguiError, match="no position 5000"):
        explaining.explain(base, 1, 5000, "mate", pool=own_pool)


def test_an_explanation_survives_being_sent(base: base_model.Base) -> None:
    found = explaining.explain(base, 3, 4, "flip {Ka1 or flipcolor Qh4} and not {wtm btm}")
    assert truth_codec.unpacked(json.loads(json.dumps(truth_codec.packed(found)))) == found


def test_query_files_must_be_text(tmp_path: Path) -> None:
    path = tmp_path / "q.cql"
    path.write_bytes(b"\xef\xbb\xbfmate")
    assert queries.read_query_file(path) == "mate"
    path.write_bytes(b"mate\n\xff")
    with pytest.raises(errors.SourceError, match="line 2"):
        queries.read_query_file(path)
    with pytest.raises(queries.Rejected):
        queries.expanded("x" * (queries.LONGEST_QUERY + 1))


class Impatient(progress.CancelToken):
    """Cancels itself when it has been looked at often enough."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    @property
    def cancelled(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_a_question_begins_when_a_worker_is_up_for_it(base: base_model.Base, own_pool: pool.Pool) -> None:
    begun: list[bool] = []
    found = explaining.explain(base, 1, 0, "wtm", apart=True, begun=lambda: begun.append(True), pool=own_pool)
    assert found.matched
    assert begun == [True]
    # One that never gets up answers nothing, however long one asks.
    silent = pool.Pool([sys.executable, "-c", "import sys; sys.stdin.read()"], size=1)
    with contextlib.closing(silent), pytest.raises(errors.Cancelled):
        silent.ask({"op": "explain"}, Impatient(20), lambda: begun.append(False))
    assert begun == [True]
