"""Tells how many small changes of the program the tests notice:

    python -m tests.tools.mutation FOLDER [--count 300] [--seed 1]     draw mutants and run those not run yet
    python -m tests.tools.mutation FOLDER --survivors                  run survivors again, in today's tree
    python -m tests.tools.mutation FOLDER --report                     print what is known

FOLDER, outside the tree, gets a copy of the tree, the record of which test runs which lines (made at first
need, with `--record` anew), and the results, so that a run can be stopped and goes on later. It needs the
extra `mutation`. At most one mutant's tests run at a time; start it with `nice` where others work.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import parso

from tests.tools.mutation import mutants, recording, running


def main(words: Sequence[str] | None = None) -> int:
    """Run and print; 1 if a mutant survived."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.mutation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="the folder of results, outside the tree")
    parser.add_argument("--count", type=int, default=300, help="how many mutants to draw (default: 300)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants to draw (default: 1)")
    parser.add_argument(
        "--seconds", type=float, default=40.0, help="how long the tests of one mutant may take (default: 40)"
    )
    parser.add_argument("--survivors", action="store_true", help="run only those that survived")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--record", action="store_true", help="measure anew which tests run which lines")
    options = parser.parse_args(words)
    shop = running.Workshop(options.folder)
    if not options.report:
        if options.record or options.survivors or not shop.tree.exists():
            shop.copy()
        if options.record:
            shutil.rmtree(shop.record, ignore_errors=True)
        shop.restore()
        recording.record(shop.tree, shop.record, shop.environment)
        (survivors if options.survivors else fresh)(shop, options)
    results = shop.done().values()
    print(running.report(results))
    return int(any(result.outcome == running.SURVIVED for result in results))


def fresh(shop: running.Workshop, options: argparse.Namespace) -> None:
    """Run the sample's mutants that have no result yet."""
    recorded, known, done = recording.Recorded(shop.record), running.explained(), shop.done()
    for mutant in shop.sample(options.count, options.seed):
        text = (shop.tree / mutant.module).read_text(encoding="utf-8")
        made = mutants.applied(mutant, text)
        assert made is not None
        change = mutants.change(mutant.module, text, made)
        if change in done:
            continue
        if change in known:
            shop.keep(running.Result(change, mutant.line, running.LEFT_OUT, diff=known[change]))
            continue
        line, first = mutant.line, statement(text, mutant.line)
        tests = recording.likeliest(
            mutant.module, recorded.of_line(mutant.module, line, first), options.seconds
        )
        say(shop, shop.ask(change, text, made, tests))


def survivors(shop: running.Workshop, options: argparse.Namespace) -> None:
    """Run those that survived once more, in the tree as it is today, but not those explained since.

    Tests that are new or have changed come first.
    """
    recorded, known = recording.Recorded(shop.record), running.explained()
    for change, before in shop.done().items():
        if before.outcome != running.SURVIVED:
            continue
        if change in known:
            shop.keep(running.Result(change, before.line, running.LEFT_OUT, diff=known[change]))
            continue
        found = mutants.located(change, shop.tree)
        if found is None:
            say(shop, running.Result(change, before.line, running.GONE, diff=before.diff))
            continue
        text, made = found
        tests = recorded.of_line(change.module, before.line, before.line)
        tests = [test for test in tests if (shop.tree / test.file).exists()]
        newer = [test for test in tests if test.file in recorded.renewed]
        older = [test for test in tests if test.file not in recorded.renewed]
        chosen = recording.cheapest(newer, options.seconds)
        chosen += recording.likeliest(change.module, older, options.seconds)
        say(shop, shop.ask(change, text, made, chosen))


def statement(text: str, line: int) -> int:
    """The line on which the statement begins that stands on a line."""
    leaf = parso.parse(text).get_leaf_for_position((line, 0), include_prefixes=True)
    while leaf.parent is not None and leaf.parent.type not in {"simple_stmt", "suite", "file_input"}:
        leaf = leaf.parent
    return min(line, leaf.start_pos[0])


def say(shop: running.Workshop, result: running.Result) -> None:
    shop.keep(result)
    print(f"{result.outcome:9} {result.seconds:6.1f} s  {result.change.module}:{result.line}  ", end="")
    print(f"{result.change.before}  ->  {result.change.after}  {result.test}", flush=True)


sys.exit(main())
