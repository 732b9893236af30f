"""`cqlgui search`: finds games and positions, and prints them as text, JSON, JSON lines or CSV."""

from __future__ import annotations

import argparse
import contextlib
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cqlgui.base import ahead, progress
from cqlgui.base.files import disk
from cqlgui.cli import judging, opening, terminal
from cqlgui.cli.searching import answers, asking, combinations, narrowing, saying
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import hit_details, keeping, orbits, scheduling, searching

if TYPE_CHECKING:
    from cqlgui.cli.searching import rows
    from cqlgui.tasks.judging.judging import Judges


def run(arguments: argparse.Namespace) -> int:
    """Search once, or once for every line of a batch."""
    for option in ("read", "write"):
        for folder in getattr(arguments, f"allow_{option}"):
            if not disk.is_folder(folder):
                terminal.say(f"cqlgui search: --allow-{option} allows nothing, for {folder} is no folder.")
    judged = judging.wanted(arguments)
    if arguments.batch is not None:
        refused = combinations.refused_batch(arguments, judged=judged is not None)
        if refused:
            terminal.say(refused)
            return terminal.USAGE
        if arguments.annotate:
            terminal.say(combinations.NO_ANNOTATION)
        if arguments.normalise:
            terminal.say(combinations.NO_FRAME)
        # What only some searches need is imported where it is needed, so that the others do not wait for it.
        from cqlgui.cli.searching import batch

        return batch.run(arguments)
    refused = combinations.refused(arguments)
    if refused:
        terminal.say(refused)
        return terminal.USAGE
    text, name = terminal.query_text(arguments.expression, arguments.query_file)
    as_json = arguments.json or arguments.jsonl
    try:
        options = asking.options(arguments, arguments.variations, asking.details(arguments))
        expanded = queries.expanded(text, said=options.settings)
        asking.refuse_engine(arguments, expanded)
        query = expanded.query
        assert query is not None
        if not arguments.files:
            arguments.files = [asking.header_input(query.header, options.allow_read)]
        # An output file that the query names must lie in an allowed folder. An output file that the user
        # names may lie anywhere.
        allowed: tuple[Path, ...] = ()
        if arguments.hits is not None:
            if query.header.output is not None:
                terminal.say("The query's output is not written, as --hits says where the hits go.")
        elif arguments.output is None:
            allowed = options.allow_write
            arguments.output = asking.header_output(query.header, allowed)
        ending = ""
        if arguments.output is not None:
            from cqlgui.cli.searching import files

            ending = files.checked_ending(arguments, text, options)
        if arguments.annotate and ending != ".pgn":
            terminal.say(combinations.NO_ANNOTATION)
        if arguments.study and ending != ".pgn":
            terminal.say(combinations.NO_STUDY)
        if arguments.normalise and not ending and not arguments.tree and arguments.hits is None:
            terminal.say(combinations.NO_FRAME)
        tables = arguments.jsonl or arguments.csv or arguments.hits or ending not in ("", ".pgn")
        if (arguments.spans or arguments.group) and not tables:
            terminal.say(combinations.no_rows(arguments))
            return terminal.USAGE
        if judged is not None and not (arguments.jsonl or arguments.csv):
            from cqlgui.tasks.export import exporting

            if ending not in exporting.JUDGED:
                terminal.say(f"{combinations.NO_JUDGED} {' '.join(exporting.JUDGED)}.")
                return terminal.USAGE
        # An engine that cannot be started is told before the search, not after it.
        with (
            terminal.interruptible() as cancel,
            judging.opened(judged, cancel) as judges,
            opening.cluster(arguments.scheduler, cancel, partial=arguments.partial) as cluster,
        ):
            opened = opening.open_base(arguments.files, cancel, adopt=asking.asks_catalog(arguments))
            base = opened.base
            if arguments.output is not None:
                # Before the search, refuse an output file that must not be overwritten. If the refusal came
                # after a long search, the user would have waited in vain.
                keeping.refuse(base, text, options, arguments.output)
            options = asking.among(arguments, base, options)
            if arguments.partial and (cluster is None or asking.reads_games(arguments)):
                options = asking.sound(base, options)
            if arguments.hits is not None:
                from cqlgui.cli.searching import files

                code = files.write_hits(arguments, base, text, name, options, cancel, cluster)
            else:
                code = _once(arguments, opened, text, name, options, allowed, cancel, judges, cluster)
            return code or opening.outcome(opened)
    except queries.Rejected as rejected:
        return terminal.reject(rejected, name, as_json=as_json)


def _once(
    arguments: argparse.Namespace,
    opened: base_model.ImportReport,
    text: str,
    name: str,
    options: search_model.SearchOptions,
    allowed: Sequence[Path],
    cancel: progress.CancelToken,
    judges: Judges | None,
    cluster: scheduling.Scheduler | None,
) -> int:
    """Search, print what was found, and write it into the output file. Returns the exit code."""
    base = opened.base
    bar = terminal.Bar()
    in_rows, at_once = arguments.jsonl or arguments.csv, False
    printed: rows.Rows | None = None
    if in_rows:
        from cqlgui.cli.searching import rows

        query = queries.expanded(text, said=hit_details.said(options)).query
        assert query is not None
        # Whether a game is a duplicate is known when all games have been found, and so is the order of rows.
        # Facets count all hits.
        # An engine takes much longer than a search, so it begins when the search has ended, and a search that
        # fails is told before.
        late = asking.of_whole_results(arguments) or judges is not None or queries.sorts_games(query)
        at_once = not late
        variations = query.header.variations
        printed = rows.Rows(arguments, base, orbits.orbits(text), variations, judges, cancel, bar)
        printed.begin()
    narrow = narrowing.wanted(arguments, base, text, cancel)

    # The search goes on while a thread prints what was found.
    found_now = ahead.Behind(printed.stream) if at_once and printed else contextlib.nullcontext()
    try:
        with found_now as behind:
            result = searching.search(
                base,
                text,
                options,
                cancel=cancel,
                progress=bar,
                on_hits=None if behind is None else behind.put,
                on_messages=functools.partial(saying.messages, bar),
                scheduler=cluster,
                # What was printed is not needed any more.
                keep_details=not at_once or arguments.output is not None,
            )
    finally:
        bar.end()
    answers.check_sources(base, result, options)
    if not arguments.duplicates and not result.cancelled:
        result = narrowing.without_duplicates(base, result, cancel)
    result = narrow(result)
    if printed and not at_once and len(result.games) and not (judges is not None and result.cancelled):
        printed.whole(result)
    cut = printed is not None and printed.cut
    saying.failures(result)
    if not in_rows:
        answers.show(arguments, base, result, cancel)
    if not arguments.json:
        # With --jsonl and --csv, stdout holds only hits, because other programs read stdout.
        write = terminal.say if in_rows else print
        for one in result.persistent:
            write(f"{one.name}: {one.text}")
    unwritten = ""
    if arguments.output is not None and not result.cancelled:
        from cqlgui.cli.searching import files

        unwritten = files.export(arguments, opened, result, allowed, judges, cancel, bar)
    if result.games_searched or not result.cancelled:
        saying.outcome(result, len(result.games), result.positions)
    if result.stopped is not None:
        saying.stopped(result.stopped, text, name)
    if cut:
        terminal.say("Stopped before all of these hits were printed.")
    if result.cancelled:
        unwritten = "" if arguments.output is None else f" Nothing was written to {arguments.output}."
        terminal.say(f"Stopped before the search had ended.{unwritten}")
    if result.cancelled or cut:
        return terminal.CANCELLED
    if result.hopeless or unwritten:
        return terminal.REJECTED
    return terminal.USAGE if result.left_out else terminal.OK
