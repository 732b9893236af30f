"""What a cluster costs: the time of a task without work, and of queries with one worker after another."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cqlgui.tasks.cluster import clients, messages, working
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching

LIGHT = "mate"
HEAVY = "piece x in [QR] {piece y in [qr] {x attacks y y attacks x}}"
TASKS = 400


@dataclass(frozen=True)
class Times:
    """Seconds of a search: wall, and of processors in this process, in the scheduler and in the workers."""

    name: str
    wall: float
    own: float
    scheduler: float = 0.0
    workers: float = 0.0
    first: float = 0.0
    games: int = 0
    hits: int = 0

    def line(self) -> str:
        """The figures as a line."""
        return (
            f"{self.name:<34} wall {self.wall:6.2f} s, first hit {self.first:5.2f}, here {self.own:5.2f}, "
            f"scheduler {self.scheduler:5.2f}, workers {self.workers:6.2f}; {self.games} games"
        )


def local(base: base_model.Base, query: str, *, threads: int | None = None) -> Times:
    """A search in this process."""
    return _timed(f"local, {threads or 'all'} threads: {query[:20]}", base, query, threads, None)


def spread(base: base_model.Base, query: str, scheduler: clients.Dask, workers: int) -> Times:
    """A search on a cluster."""
    return _timed(f"{workers} workers: {query[:20]}", base, query, None, scheduler)


@dataclass(frozen=True)
class Task:
    """What a task costs that does nothing, in seconds: wall time of one alone, from its submission to its
    answer; and for each of many, wall time and the time of processors here, in the scheduler and in the
    worker."""

    alone: float
    wall: float
    own: float
    scheduler: float
    worker: float

    def line(self) -> str:
        """The figures as a line."""
        return (
            f"an empty task: {self.alone * 1e3:.1f} ms alone; of many {self.wall * 1e3:.2f} ms, here "
            f"{self.own * 1e3:.2f}, scheduler {self.scheduler * 1e3:.2f}, worker {self.worker * 1e3:.2f}"
        )


def empty_task(scheduler: clients.Dask) -> Task:
    """Measure tasks without work."""
    client = scheduler._client
    # A request of another version is refused at once.
    asked = messages.packed({"versions": "none"})

    def submitted(number: int) -> float:
        began = time.perf_counter()
        futures = [client.submit(working.answer, asked, pure=False) for _ in range(number)]
        client.gather(futures)
        return time.perf_counter() - began

    submitted(10)
    alone = min(submitted(1) for _ in range(20))
    before, own = list(_processors(scheduler)), time.process_time()
    wall = submitted(TASKS)
    own = time.process_time() - own
    spent = [after - one for after, one in zip(_processors(scheduler), before, strict=True)]
    return Task(alone, *(one / TASKS for one in (wall, own, *spent)))


def _timed(
    name: str, base: base_model.Base, query: str, threads: int | None, scheduler: clients.Dask | None
) -> Times:
    first: list[float] = []
    options = search_model.SearchOptions(details=search_model.Details.NONE, workers=threads)
    before = list(_processors(scheduler))
    own, began = time.process_time(), time.perf_counter()
    result = searching.search(
        base,
        query,
        options,
        on_hits=lambda _: first.append(time.perf_counter() - began),
        scheduler=scheduler,
    )
    wall, spent = time.perf_counter() - began, time.process_time() - own
    more = [after - one for after, one in zip(_processors(scheduler), before, strict=True)]
    return Times(
        name,
        wall,
        spent,
        *(more or [0.0, 0.0]),
        first=min(first, default=0.0),
        games=len(result.order),
        hits=result.positions,
    )


def _processors(scheduler: clients.Dask | None) -> Iterator[float]:
    """The seconds that the scheduler, and all workers together, have used processors."""
    if scheduler is not None:
        yield scheduler._client.run_on_scheduler(time.process_time)
        yield sum(scheduler._client.run(time.process_time).values())


def reckoned(queries: Sequence[Times], task: Task, games: int, size: int) -> Iterator[str]:
    """What these figures say of 100 million games on 64 workers. `games` and `size` are those of the measured
    base, in games and bytes. The queries were measured with one worker."""
    times, workers = 100_000_000 / games, 64
    lasts = max(clients._TASK_SECONDS, clients._OVERHEAD_SECONDS * workers)
    for one in queries:
        work = one.workers * times / workers
        tasks = max(workers, one.workers * times / lasts)
        # The scheduler and this process work side by side.
        handing = tasks * max(task.own, task.scheduler)
        yield (
            f"{one.name.rpartition(': ')[2]:<22} {work:6.1f} s of work on each worker, {tasks:6.0f} tasks of "
            f"{lasts:.2f} s, {handing:5.1f} s to hand them out; {one.hits * times / 1e6:.1f} M hits are "
            f"{one.hits * times * 8 / 1e6:.0f} MB"
        )
    yield (
        f"100 M games: {size * times / 1e9:.0f} GB of parts, {size * times / workers / 1e9:.2f} GB a worker"
    )
