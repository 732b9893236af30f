"""A worker stopped in the midst of a request keeps nothing that may be half-done; one stopped before its work
began keeps all.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cqlgui.cql.interpreting import interpreter
from cqlgui.tasks.databases import hosts, importing, sources
from cqlgui.tasks.processes import frames
from cqlgui.tasks.search import worker

PGN = '[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. d4 d5 *\n\n'
QUERY = 'player white "A" initial'


@pytest.fixture
def service() -> Iterator[worker.Service]:
    made = worker.Service()
    before = signal.signal(signal.SIGINT, made.interrupted)
    yield made
    signal.signal(signal.SIGINT, before)
    made._forget()


@pytest.fixture
def request_of(tmp_path: Path) -> Any:
    path = tmp_path / "a.pgn"
    path.write_text(PGN)
    words = sources.words(importing.open_base([path]).base.sources[0])

    def made(number: int) -> frames.Envelope:
        return {
            "op": "search", "id": number, "query": QUERY, "settings": {}, **words, "games": [0, 1],
        }  # fmt: skip

    return made


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each program that is made."""
    programs: list[str] = []
    init = interpreter.Program.__init__

    def counting(self: interpreter.Program, *said: Any, **more: Any) -> None:
        programs.append("made")
        init(self, *said, **more)

    monkeypatch.setattr(interpreter.Program, "__init__", counting)
    return programs


def found(answer: frames.Envelope) -> list[int]:
    assert not answer["failed"]
    return [hit[0] for hit in answer["hits"]]


@pytest.mark.parametrize("becomes", ["itself", "another exception", "nothing"])
def test_a_worker_stopped_in_the_midst_keeps_nothing(
    service: worker.Service,
    request_of: Any,
    compiled: list[str],
    monkeypatch: pytest.MonkeyPatch,
    becomes: str,
) -> None:
    """Whatever code the interrupt falls into makes of it: callbacks swallow it, the standard library's locks
    raise another.
    """
    assert found(service.answer(request_of(1))) == [0]
    assert found(service.answer(request_of(2))) == [0]
    source, catalogs = service._source, list(service._catalogs.values())
    assert source is not None
    assert source.index.game_count == 2
    assert (len(compiled), len(catalogs)) == (1, 1)
    run, interrupts = interpreter.Program.run, []

    def interrupted(self: interpreter.Program, game: Any, host: hosts.GameHost, *said: Any) -> Any:
        # In the last game, behind which nobody looks again for a stop.
        if host.gamenumber == 2:
            try:
                service.stop(3)
                for _ in range(1000):
                    pass
            except BaseException as stop:
                interrupts.append(stop)
                if becomes == "itself":
                    raise
                if becomes == "another exception":
                    raise RuntimeError("release unlocked lock") from stop
        return run(self, game, host, *said)

    with monkeypatch.context() as patch:
        patch.setattr(interpreter.Program, "run", interrupted)
        assert service.answer(request_of(3)) == {"stopped": True}
    assert len(interrupts) == 1
    assert not service._programs
    assert not service._catalogs
    assert service._source is None
    assert source.index.game_count == 0
    assert found(service.answer(request_of(4))) == [0]
    assert found(service.answer(request_of(5))) == [0]
    assert len(compiled) == 2


def test_a_torn_request_of_any_kind_is_said_to_be_stopped(
    service: worker.Service, request_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing but the border of the worker would hear of what an interrupt was made."""

    def interrupted(_self: hosts.SourceReader, _ordinal: int) -> None:
        try:
            service.stop(1)
            for _ in range(1000):
                pass
        except BaseException as stop:
            raise RuntimeError("release unlocked lock") from stop

    asked = {**request_of(1), "op": "load"}
    with monkeypatch.context() as patch:
        patch.setattr(hosts.SourceReader, "read", interrupted)
        assert service.answer(asked) == {"stopped": True}
    assert service._source is None
    assert service.answer({**asked, "id": 2})["tags"] == (("White", "A"),)


def test_a_fault_of_another_kind_is_handed_on(
    service: worker.Service, request_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_self: hosts.SourceReader, _ordinal: int) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(hosts.SourceReader, "read", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        service.answer({**request_of(1), "op": "load"})


def test_a_worker_stopped_before_its_work_keeps_what_it_has(
    service: worker.Service, request_of: Any, compiled: list[str]
) -> None:
    """Steps through hits faster than their query compiles would else begin anew for ever."""
    service.stop(1)
    assert service.answer(request_of(1)) == {"stopped": True}
    service.stop(2)
    assert service.answer(request_of(2)) == {"stopped": True}
    source, catalogs = service._source, dict(service._catalogs)
    assert source is not None
    assert catalogs
    assert found(service.answer(request_of(3))) == [0]
    assert (service._source, service._catalogs) == (source, catalogs)
    assert len(compiled) == 1
