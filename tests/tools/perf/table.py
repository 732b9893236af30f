"""The table of speed: our figures beside floors, the limit of replay, and what others publish or do here.

    python -m tests.tools.perf.table [--quick] [--packed FILE.zst] [--processes [--rounds N]] [FILE.pgn]

Everything is measured in one run on one file; the figures of others that cannot run here are those that
their authors or users published for 100,000 to 150,000 games. Nothing is judged but by the eye: `HELD` says
where a floor was reached. Rates of queries are of one core in its processor time, medians of five. Queries
on texts (`census.is_textual`) may need the interpreter, so they are whole searches, without pruning: what
counts is the processor time of this process and of its workers, and a search is stopped after a while.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess.pgn

from cqlgui.base import progress
from cqlgui.base.files import folders
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.replaying import games
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing, sources
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import explaining, searching, sieving
from tests import helpers
from tests.helpers import games as readings
from tests.helpers import memory, packed_games, yardsticks
from tests.tools.perf import census, limits, processes, window

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
TIMES = 5
SETTLED_TIMES = 3
BUDGET_SECONDS = 0.4
"""Processor time spent on a query at most, each of the `TIMES` times."""
QUERIES_FOR_A_LIMIT = 20
"""So many recorded queries are held against one measurement of the limit."""
INTERPRETED_GAMES = 12
INTERPRETED_SECONDS = 0.3
YARDSTICK_GAMES = 150
SEARCH_SECONDS = 2.0
"""A search on texts is stopped after so many seconds."""
EXPORTED_GAMES = 100_000
ORBIT_OF_1800 = "flipcolor flip shift {Nb1 kg7 Qd4 pc6}"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. `floor` is reached from above (a rate) or, where `at_most`, from below."""

    what: str
    value: float
    unit: str
    floor: float | None = None
    at_most: bool = False
    beside: str = ""

    def line(self) -> str:
        """The row as text."""
        if self.floor is None:
            judged = ""
        else:
            held = self.value <= self.floor if self.at_most else self.value >= self.floor
            judged = f"{'<' if self.at_most else '>'} {self.floor:<9,.5g} {'HELD' if held else 'missed'}"
        value = f"{self.value:,.0f}" if abs(self.value) >= 1000 else f"{self.value:,.4g}"
        return f"{self.what:<52} {value:>12} {self.unit:<13} {judged:<19} {self.beside}".rstrip()


@dataclass(frozen=True, slots=True)
class Asked:
    """A query of the table with its floor in million positions a second."""

    text: str
    floor: float | None
    note: str = ""


QUERIES = (
    Asked("false", None, "replay alone"),
    Asked("Ra1 kg8", 200.0),
    Asked("flipcolor {P>=6 [QqRr]==0}", 120.0),
    Asked("mate", 60.0),
    Asked("ray attack (A n k)", 60.0),
    Asked("shift {Kb1 kb3 wtm}", 60.0),
    Asked("piece x in N {x attacks r and x attacks k}", 120.0),
    Asked("path (N-- [x] --(check))", limits.THERE / 10, "three steps"),
    Asked("flipcolor {Ra8 kg8 find Qh7}", limits.THERE / 10, "mostly without the find"),
    Asked("flipcolor {find Qh7}", limits.THERE / 10),
)
HEAVY = "piece x in [QR] {piece y in [qr] {x attacks y y attacks x}}"
ECHO = "echo (s t) {s < t sidetomove == s:sidetomove s & t == .}"


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.tools.perf.table",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_argument("file", nargs="?", type=Path, default=SAMPLE, help="PGN (default: sample base)")
    arguments.add_argument("--packed", type=Path, help="the same games as .zst, to be imported as well")
    arguments.add_argument("--quick", action="store_true", help="few queries only, to see that it works")
    arguments.add_argument(
        "--processes", action="store_true", help="200 queries as whole processes, too (takes minutes)"
    )
    arguments.add_argument(
        "--rounds", type=int, default=1, help="of each process, the fastest of so many (default: 1)"
    )
    options = arguments.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="cqlgui-perf-") as folder:
        os.environ["CQLGUI_HOME"] = str(Path(folder, "home"))
        for row in rows(options.file, options.packed, quick=options.quick):
            print(row.line(), flush=True)
        if options.processes:
            for row in _processes(options.file, Path(folder), 2 if options.quick else 200, options.rounds):
                print(row.line(), flush=True)
    return 0


def rows(path: Path, packed: Path | None, *, quick: bool) -> Iterator[Row]:
    """All lines, as they are measured."""
    yield from _starts_for_the_first_time(path)
    yield from _imports(path, packed)
    base = importing.open_base([path]).base
    yield from _sizes(base, path)
    parts = [part for source in base.sources for part in _parts(source)]
    yield from _queries(base, parts)
    yield from _echo(base)
    yield from _recorded(base, parts, step=200 if quick else 1)
    yield from _on_texts(base, step=40 if quick else 1)
    yield from _searches(base)
    for file in (path, packed):
        if file is not None:
            yield from _exports(importing.open_base([file]).base, file.suffix)
    yield from _starts(path)
    yield from _window(path)


def _parts(source: base_model.Source) -> list[games.Games]:
    with sources.opened(source) as reader:
        return [games.of_segment(segment) for _, segment in reader.index.parts]


# --- import and index ---------------------------------------------------------------------------------------


def _imports(path: Path, packed: Path | None) -> Iterator[Row]:
    published = "ChessX: 145,716 games in 3 s (no check of moves); rust-pgn-reader, 2 threads: 119,000"
    for file, floor, beside in ((path, 60_000.0, published), (packed, 40_000.0, "")):
        if file is None:
            continue
        rates, peaks = [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory(prefix="cqlgui-perf-") as home:
                seconds, peak, out = memory.watched(
                    [sys.executable, "-m", "cqlgui", "import", str(file)], helpers.ROOT, {"CQLGUI_HOME": home}
                )
            number = int(out.split()[0].replace(",", ""))
            rates.append(number / seconds)
            peaks.append(peak / 1e6)
        yield Row(
            f"import from {file.suffix}, process start included",
            statistics.median(rates),
            "games/s",
            floor,
            beside=beside,
        )
        yield Row("  private memory at most", max(peaks), "MB", 500.0, at_most=True)


def _sizes(base: base_model.Base, path: Path) -> Iterator[Row]:
    # Counting what signatures rule out makes those of all games.
    explaining.stages("mate", base)
    text = path.stat().st_size
    # Machine code is no part of a base, and a thread may be storing some just now.
    cache = folders.cache()
    code = cache / "kernels", cache / "queries"
    kept = [file for file in cache.rglob("*") if not any(map(file.is_relative_to, code))]
    moves = sum(int(part.counts.sum()) * 2 for source in base.sources for part in _parts(source))
    whole = sum(file.stat().st_size for file in kept if file.is_file())
    yield Row("packed moves", 100 * moves / text, "% of the PGN", 30.0, at_most=True)
    yield Row("everything, catalog and signatures", 100 * whole / text, "% of the PGN", 80.0, at_most=True)


# --- queries ------------------------------------------------------------------------------------------------


def _compiled(text: str) -> compiling.Compiled:
    found = compiling.compile_query(transforms.expand(check.check(text)))
    assert not isinstance(found, Unsupported), text
    return found


def _rate(
    compiled: compiling.Compiled, parts: Iterable[games.Games], budget: float, *, whole: bool = False
) -> float:
    """Positions a second of processor time, over as many games as the budget (seconds) is enough for. With
    `whole`, all positions of these games count, not only those that were visited."""
    positions, spent = 0, 0.0
    for part in parts:
        slices = compiled.scan(part)
        at = 0
        while spent < budget:
            start = time.thread_time()
            found = next(slices, None)
            spent += time.thread_time() - start
            if found is None:
                break
            positions += found.visited
            if whole:
                everything = int(part.counts[at : at + found.games].sum()) + found.games
                positions += max(everything - found.visited, 0)
            at += found.games
    return positions / max(spent, 1e-9)


def _settled_share(compiled: compiling.Compiled, parts: Sequence[games.Games], limit: float) -> float:
    """The share of the limit that a query reaches once its code was made with care, as `limits.rate` measures
    code that was made with care and takes the best time. All positions of the games count, also those that
    need not be visited, because the query is answered for them. But no share is greater than 1."""
    compiled.tiers.improve()
    best = max(_rate(compiled, parts, BUDGET_SECONDS, whole=True) for _ in range(SETTLED_TIMES))
    return min(best / limit, 1.0)


def _rates(
    compiled: compiling.Compiled, parts: Sequence[games.Games], budget: float
) -> tuple[float, float, float]:
    """The rate of the first search, in which code is made with care where that seems worth it; the median of
    those that follow; and its share of the limit, which is measured by turns since a machine's pace changes.
    """
    first = _rate(compiled, parts, budget)
    turns = [(_rate(compiled, parts, budget), limits.rate(parts)) for _ in range(TIMES)]
    share = statistics.median(rate / limit for rate, limit in turns)
    return first, statistics.median(rate for rate, _ in turns), share


def _share(reached: float, floor: float | None) -> str:
    """The share of the limit that was reached, judged by that which the floor is of the limit it is for."""
    words = f"{reached:.0%} of the limit"
    if floor is not None:
        wanted = floor / limits.THERE
        words += f" (floor {wanted:.0%}, {'held' if reached >= wanted else 'missed'})"
    return words


def _queries(base: base_model.Base, parts: Sequence[games.Games]) -> Iterator[Row]:
    sample = _sample(base, YARDSTICK_GAMES)
    chess_games = list(_chess_games(base, YARDSTICK_GAMES))
    limit = statistics.median(limits.rate(parts) for _ in range(TIMES)) / 1e6
    yield Row("the limit: moves made, nothing asked", limit, "M positions/s", limits.THERE)
    for asked in QUERIES:
        compiled = _compiled(asked.text)
        first, rate, share = _rates(compiled, parts, BUDGET_SECONDS)
        slow = _interpreted_rate(asked.text, sample, 2.0)
        beside = f"first {first / 1e6:.0f}, interpreter {slow / 1e6:.3f} ({rate / slow:,.0f}x)"
        if asked.text in yardsticks.QUERIES:
            found, other = yardsticks.rate(yardsticks.QUERIES[asked.text], chess_games)
            assert found == _hits(compiled, sample), asked.text
            beside += f", python-chess {other / 1e6:.3f} ({rate / other:,.0f}x)"
        note = f" ({asked.note})" if asked.note else ""
        yield Row(
            f"{asked.text}{note}",
            rate / 1e6,
            "M positions/s",
            asked.floor,
            beside=f"{_share(share, asked.floor)}, {beside}",
        )
    yield Row("CQL 6.2, whatever the query", 0.9, "M positions/s", beside="published: 8-12 s for the base")
    yield Row("Scid, one pattern", 11.41 / 0.6, "M positions/s", beside="published: 145,716 games in 0.6 s")
    yield Row("scoutfish, one pattern", 7.5 / 0.2, "M positions/s", beside="published: 7.5 M in 0.2 s")


def _echo(base: base_model.Base) -> Iterator[Row]:
    """An echo compares all pairs of positions: its cost grows with the square of a game's length."""
    found = compiling.compile_query(transforms.expand(check.check(ECHO)))
    if isinstance(found, Unsupported) or not found.wholly:
        return
    parts = _parts(base.sources[0])[:1]
    thousand = games.everything(parts[0])[:1000]
    start = time.thread_time()
    visited = sum(one.visited for one in found.scan(parts[0], thousand))
    yield Row(
        "echo on 1,000 games", (time.thread_time() - start) * 1000, "ms", beside=f"{visited:,} positions"
    )


def _sample(base: base_model.Base, number: int) -> list[readings.Game]:
    return list(_readings(base, number))


def _texts(base: base_model.Base, number: int) -> Iterator[str]:
    source = base.sources[0]
    with sources.opened(source) as reader:
        for ordinal in range(min(number, source.games)):
            yield reader.raw(ordinal).decode("utf-8", "replace")


def _readings(base: base_model.Base, number: int) -> Iterator[readings.Game]:
    for text in _texts(base, number):
        yield from readings.from_pgn(text)


def _chess_games(base: base_model.Base, number: int) -> Iterator[chess.pgn.Game]:
    for text in _texts(base, number):
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None
        yield game


def _interpreted_rate(text: str, sample: Sequence[readings.Game], budget: float) -> float:
    """Positions a second of the interpreter over some games, until the budget (seconds) is spent."""
    program = interpreter.Program(transforms.expand(check.check(text)))
    positions, start = 0, time.thread_time()
    for game in sample:
        limit = start + budget
        try:
            program.run(game.tree, game.host, lambda limit=limit: time.thread_time() > limit)  # type: ignore[misc]
        except interpreter.TooSlow:
            break
        except interpreter.QueryError:
            pass
        positions += game.tree.mainline_length
        if time.thread_time() > limit:
            break
    return max(positions, 1) / max(time.thread_time() - start, 1e-9)


def _hits(compiled: compiling.Compiled, sample: Sequence[readings.Game]) -> int:
    packed = packed_games.of_words((None, game.tree.encode()) for game in sample)
    return sum(len(found.hits) for found in compiled.scan(packed))


def _recorded(base: base_model.Base, parts: Sequence[games.Games], step: int) -> Iterator[Row]:
    """Every query that is known with its results: share compiled, time to compile, speed."""
    texts = list(census.texts_of(None))
    sample = _sample(base, INTERPRETED_GAMES)
    latencies: list[float] = []
    rates: dict[str, float] = {}
    shares: list[float] = []
    settled: list[float] = []
    ratios: dict[str, float] = {}
    counted = census.Census()
    for text in texts[::step]:
        checked = check.check(text)
        if checked.query is None:
            continue
        start = time.thread_time()
        expanded = transforms.expand(check.check(text))
        if expanded.query is None:
            continue
        compiled = compiling.compile_query(expanded)
        latencies.append((time.thread_time() - start) * 1000)
        counted.add(checked, compiled)
        counted.add_details(checked, sieving.plan(expanded))
        if isinstance(compiled, Unsupported) or not compiled.wholly:
            continue
        if len(rates) % QUERIES_FOR_A_LIMIT == 0:
            limit = limits.rate(parts)
        rates[text] = _rate(compiled, parts, BUDGET_SECONDS)
        shares.append(rates[text] / limit)
        settled.append(_settled_share(compiled, parts, limit))
        ratios[text] = rates[text] / _interpreted_rate(text, sample, INTERPRETED_SECONDS)
    latencies.sort()
    yield Row("queries compiled wholly, of all recorded", counted.share, "%")
    yield Row("  of those without strings, dictionaries, files, comments", counted.plain_share, "%", 95.0)
    yield Row(
        "  those that never ask the interpreter, annotated", counted.told_share, "%", float(census.FLOOR)
    )
    yield Row("query text to machine code, median", statistics.median(latencies), "ms", 15.0, at_most=True)
    yield Row("  95th percentile", latencies[int(len(latencies) * 0.95)], "ms", 100.0, at_most=True)
    yield Row(
        f"geometric mean of {len(rates):,} compiled queries",
        statistics.geometric_mean(rates.values()) / 1e6,
        "M positions/s",
        40.0,
        beside=_share(statistics.geometric_mean(shares), 40.0),
    )
    first = 100 * statistics.geometric_mean(shares)
    yield Row("  of the limit, without pruning, positions visited by the first search", first, "%")
    later = 100 * statistics.geometric_mean(settled)
    yield Row("  of the limit, without pruning, later searches", later, "%", 25.0)
    slowest = min(ratios, key=lambda text: ratios[text])
    yield Row("  the least times the interpreter", ratios[slowest], "x", 1.0, beside=repr(slowest)[:80])
    start = time.thread_time()
    expanded = transforms.expand(check.check(ORBIT_OF_1800))
    assert not isinstance(compiling.compile_query(expanded), Unsupported)
    candidates = sum(orbit.candidates for orbit in expanded.orbits)
    yield Row(
        f"an orbit of {candidates:,} candidates to machine code",
        (time.thread_time() - start) * 1000,
        "ms",
        300.0,
        at_most=True,
    )


def _on_texts(base: base_model.Base, step: int) -> Iterator[Row]:
    """Queries on strings, comments, glyphs, dictionaries and `hhdb`, the interpreter's part included."""
    rates: dict[str, float] = {}
    textual = [text for text in census.texts_of(None) if _is_textual(text)]
    for text in textual[::step]:
        try:
            rates[text] = _searched_rate(base, text)
        except queries.Rejected:
            # It reads or writes files.
            continue
    slowest = min(rates, key=lambda text: rates[text])
    below = sum(rate < 1.5e6 for rate in rates.values())
    yield Row(
        f"geometric mean of {len(rates):,} queries on texts",
        statistics.geometric_mean(rates.values()) / 1e6,
        "M positions/s",
        10.0,
        beside="strings, comments, glyphs, dictionaries, hhdb; no pruning",
    )
    words = " ".join(slowest.split())[:80]
    yield Row(
        "  the slowest of them",
        rates[slowest] / 1e6,
        "M positions/s",
        1.5,
        beside=f"{below} below the floor; {words!r}",
    )


def _is_textual(text: str) -> bool:
    checked = check.check(text)
    return checked.query is not None and census.is_textual(checked.query.body, checked.names)


def _searched_rate(base: base_model.Base, text: str) -> float:
    """Positions a second of processor time of whole searches: the better of two, because the first one makes
    files that the base keeps."""
    best = 0.0
    options = search_model.SearchOptions(workers=1, details=search_model.Details.NONE, pruned=False)
    for _ in range(2):
        token = progress.CancelToken()
        timer = threading.Timer(SEARCH_SECONDS, token.cancel)
        start = memory.spent()
        timer.start()
        found = searching.search(base, text, options, cancel=token)
        timer.cancel()
        best = max(best, max(found.positions_searched, 1) / max(memory.spent() - start, 1e-9))
    return best


# --- whole searches and starts ------------------------------------------------------------------------------


def _searches(base: base_model.Base) -> Iterator[Row]:
    text = "flipcolor flipvertical {Bh7 kh8}"
    published = "Scid: 0.55-0.74 s for one pattern, CQL 12 s"
    seconds = [_searched(base, text, 2) for _ in range(TIMES)]
    middle = statistics.median(seconds) * 1000
    yield Row(f"search: {text}, 2 threads", middle, "ms", 300.0, at_most=True, beside=published)
    for asked in (text, "mate", 'player "Kasparov" mate', "Ka8", "Ra1 kg8"):
        left = explaining.stages(asked, base).plan[-2].games
        with_it, whole = (
            statistics.median(_planned(base, asked, pruned=pruned) for _ in range(TIMES))
            for pruned in (True, False)
        )
        yield Row(f"plan and machine code: {asked}", with_it * 1000, "ms", beside=f"{left} games searched")
        yield Row("  without pruning", whole * 1000, "ms")
    for text in ("mate", HEAVY):
        # By turns, since a machine's pace changes.
        turns = [
            (_searched(base, text, 1, pruned=False), _searched(base, text, 2, pruned=False))
            for _ in range(TIMES)
        ]
        yield Row(
            f"search: {text}, 2 threads, no pruning", statistics.median(two for _, two in turns) * 1000, "ms"
        )
        yield Row("  times one thread", statistics.median(one / two for one, two in turns), "x", 1.8)


def _planned(base: base_model.Base, text: str, *, pruned: bool) -> float:
    """Seconds until it is known which games are left to the interpreter, on one thread."""
    queries._expanded.cache_clear()
    start = time.perf_counter()
    plan = sieving.plan(queries.expanded(text), pruned=pruned)
    with sieving.Sieve(plan, base.sources, plan.straight, threads=1) as sieve:
        while not sieve.exhausted:
            sieve.take(1)
    return time.perf_counter() - start


def _searched(base: base_model.Base, text: str, threads: int, *, pruned: bool = True) -> float:
    # As the window searches: what only the interpreter tells is left for what is looked at.
    options = search_model.SearchOptions(workers=threads, details=search_model.Details.NONE, pruned=pruned)
    start = time.perf_counter()
    searching.search(base, text, options)
    return time.perf_counter() - start


def _exports(base: base_model.Base, ending: str) -> Iterator[Row]:
    """The own text of games in one file, beside the disk: the same bytes copied, and synced too."""
    listed = [game for source in base.sources for game in range(source.first, source.first + source.games)]
    chosen = listed[:EXPORTED_GAMES]
    rates, copied = [], []
    with tempfile.TemporaryDirectory(prefix="cqlgui-perf-") as folder:
        written, copy = Path(folder, "games.pgn"), Path(folder, "copy.pgn")
        for _ in range(TIMES):
            start = time.perf_counter()
            exporting.export_games(base, chosen, written, overwrite=True)
            rates.append(written.stat().st_size / (time.perf_counter() - start) / 1e6)
            start = time.perf_counter()
            with written.open("rb") as source_file, copy.open("wb") as file:
                shutil.copyfileobj(source_file, file, 1 << 20)
                file.flush()
                os.fsync(file.fileno())
            copied.append(written.stat().st_size / (time.perf_counter() - start) / 1e6)
        size = written.stat().st_size / 1e6
    disk = statistics.median(copied)
    yield Row(
        f"export of {len(chosen):,} whole games of {ending}, own text",
        statistics.median(rates),
        "MB/s",
        min(300.0, disk),
        beside=f"{size:,.0f} MB; the disk: {disk:,.0f} MB/s for a plain copy",
    )


def _processes(path: Path, folder: Path, number: int, rounds: int) -> Iterator[Row]:
    """Whole processes, in the ways of asking that have a floor. The fastest of `rounds` times counts."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(helpers.ROOT)
    drawn = processes.drawn(number)
    best = f", fastest of {rounds}" if rounds > 1 else ""
    for way, floor in processes.FLOORS.items():
        found = [processes.fastest(rounds, path, way, one, environment, folder) for one in drawn]
        mean = statistics.geometric_mean(one.seconds for one in found)
        slowest = max(found, key=lambda one: one.seconds)
        yield Row(
            f"{len(found)} processes of search, {way}, geometric mean{best}",
            mean,
            "s",
            floor,
            at_most=True,
            beside=f"slowest {slowest.seconds:.1f} s, {slowest.written / 1e6:,.0f} MB: {slowest.name}",
        )
        yield Row("  over 8 s without 200 MB written", len(processes.slow(found)), "queries", 0, at_most=True)


def _window(path: Path) -> Iterator[Row]:
    """What the window itself needs; it runs in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="cqlgui-perf-") as folder:
        query = Path(folder, "query.cql")
        query.write_text("flipcolor flipvertical {Bh7 kh8}", "utf-8")
        command = [sys.executable, "-m", "tests.tools.perf.window", str(path), str(query)]
        done = subprocess.run(command, cwd=helpers.ROOT, check=True, capture_output=True, text=True)
    for name, floor in ((window.FIRST_ROWS, 150.0), (window.STALL, 50.0)):
        line = next(line for line in done.stdout.splitlines() if line.startswith(name))
        number = line.removeprefix(name).split()[0].replace(",", "")
        yield Row(name, float(number), "ms", floor, at_most=True)


def _starts_for_the_first_time(path: Path) -> Iterator[Row]:
    """From process start to an answer where no kernel was compiled before: the base is indexed already."""
    with tempfile.TemporaryDirectory(prefix="cqlgui-perf-") as home:
        environment = {"CQLGUI_HOME": home}
        helpers.cli("import", path, home=Path(home), timeout=600)
        kernels = Path(home, "cache", "kernels")
        for file in kernels.glob("*") if kernels.is_dir() else ():
            file.unlink()
        yield Row("cqlgui search to its answer, first ever", _started(path, environment), "s", 2.0, True)


def _starts(path: Path) -> Iterator[Row]:
    seconds = [_started(path, {}) for _ in range(TIMES)]
    yield Row("cqlgui search to its answer, later", statistics.median(seconds), "s", 0.5, at_most=True)


def _started(path: Path, more: dict[str, str]) -> float:
    command = [sys.executable, "-m", "cqlgui", "search", str(path), "-e", "Bh7 kh8", "--count"]
    start = time.perf_counter()
    subprocess.run(command, cwd=helpers.ROOT, env={**os.environ, **more}, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    from cqlgui.tasks.processes import pool

    try:
        code = main()
    finally:
        pool.close()
    sys.exit(code)
