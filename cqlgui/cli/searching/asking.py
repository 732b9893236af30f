"""What the arguments of `cqlgui search` and the header of its query ask for: options, games, files, rows."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cqlgui.base import data, errors
from cqlgui.base.files import disk
from cqlgui.cli import terminal
from cqlgui.cql.ast import nodes
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.source import diagnostics
from cqlgui.cql.transforming import transforms
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import keeping, sieving

if TYPE_CHECKING:
    from cqlgui.tasks.export import hit_table


def options(
    arguments: argparse.Namespace, variations: bool, details: search_model.Details
) -> search_model.SearchOptions:
    """The options of a search."""
    said = settings.Settings(
        variations=variations,
        mainline=arguments.mainline,
        gamenumber=arguments.gamenumber,
        matchcount=arguments.matchcount,
        matchstring=arguments.matchstring and terminal.valid_text(arguments.matchstring, "The match string"),
        quiet=arguments.quiet,
        silent=arguments.silent,
        header_comment=not arguments.noheader,
        smart_comments=not arguments.alwayscomment,
        sort_comments=not arguments.nosortcomments,
        unique_comments=not arguments.nouniquecomments,
        remove_comments=not arguments.noremovecomment,
        set_tags=not arguments.nosettag,
    )
    return search_model.SearchOptions(
        limit=arguments.limit,
        workers=arguments.threads,
        settings=said,
        allow_read=_folders(arguments.allow_read),
        allow_write=_folders(arguments.allow_write),
        kept=_kept(arguments),
        compiled=arguments.engine != "interpreter",
        pruned=arguments.pruning,
        details=details,
    )


def details(arguments: argparse.Namespace) -> search_model.Details:
    """The details of the hits that are needed for the printed output. An export fetches its own details."""
    if arguments.values or arguments.jsonl or arguments.csv:
        return search_model.Details.ALL
    if arguments.json or arguments.batch is not None:
        return search_model.Details.COMMENTS
    if arguments.tree or arguments.facets or arguments.conditions:
        return search_model.Details.NONE
    return search_model.Details.HITS if arguments.count or arguments.output else search_model.Details.NONE


def shape(arguments: argparse.Namespace) -> hit_table.Rows:
    """What a row of the printed or written table is."""
    from cqlgui.tasks.export import hit_table

    if arguments.spans:
        return hit_table.Rows.SPANS
    return hit_table.Rows.GAMES if arguments.group else hit_table.Rows.HITS


def _folders(allowed: Sequence[Path]) -> tuple[Path, ...]:
    """The paths in `allowed` that are folders. `command.run` has warned about the other paths."""
    return tuple(folder for folder in allowed if disk.is_folder(folder))


def _kept(arguments: argparse.Namespace) -> tuple[tuple[Path, str], ...]:
    """The files that the user named as input. Each file has a phrase for messages, such as "is the query".
    These files must not be overwritten, even if they could not be read."""
    named = [(arguments.query_file, "is the query"), (arguments.batch, "is the list of queries")]
    found = [
        (Path("/dev/stdin") if str(path) == "-" else path, what) for path, what in named if path is not None
    ]
    return (*found, *((path, "is to be searched") for path in arguments.files))


def among(
    arguments: argparse.Namespace, base: base_model.Base, options: search_model.SearchOptions
) -> search_model.SearchOptions:
    """The options with the games that `--games` chooses. Raises `FilterError` if the terms cannot be
    understood."""
    if not arguments.games:
        return options
    from cqlgui.tasks.databases import games

    within = games.fitting(base, arguments.games)
    if not len(within):
        terminal.say(f"cqlgui search: no game of {base.games} fits {arguments.games}")
    return data.replace(options, within=within)


def sound(base: base_model.Base, options: search_model.SearchOptions) -> search_model.SearchOptions:
    """The options without the games of parts that cannot be read. A message names each of these parts."""
    from cqlgui.tasks.databases import published

    within, left_out = published.sound(base, options.within)
    return data.replace(options, within=within, left_out=left_out)


def header_input(header: nodes.Header, allowed: Sequence[Path]) -> Path:
    """The file that the query's header names as input. Raises `SourceError` if the header names no file, or
    if the file lies outside the allowed folders."""
    if header.input is None:
        raise errors.SourceError("No file to search in: name one, or put `input FILE.pgn` into the header.")
    path = Path(header.input)
    if not keeping.within(path, allowed):
        raise errors.SourceError(
            f"The query may not read {path}: name the file, or allow its folder with --allow-read."
        )
    return path


def header_output(header: nodes.Header, allowed: Sequence[Path]) -> Path | None:
    """The output file that the query's header names; None if the header names no output file. If the folder
    of the file is not allowed, a message is printed and the result is None."""
    if header.output is None:
        return None
    path = Path(header.output)
    if keeping.within(path, allowed):
        return path.resolve()
    terminal.say(f"The query may not write {path}: use -o, or allow its folder with --allow-write.")
    return None


def refuse_engine(arguments: argparse.Namespace, expanded: transforms.Expanded) -> None:
    """With `--engine compiled`, raise `Rejected` for a query that cannot be compiled as a whole."""
    if arguments.engine == "compiled":
        plan = sieving.plan(expanded)
        if plan.engine != "compiled":
            finding = diagnostics.Diagnostic(
                plan.span or diagnostics.Span(0, 0),
                "not-yet",
                f"This cannot be compiled: {plan.reason}.",
                "Leave --engine out, and the interpreter does what machine code cannot.",
            )
            raise queries.Rejected(expanded.text, [finding])


def of_whole_results(arguments: argparse.Namespace) -> str:
    """An option that needs all that was found before anything is printed; empty without one."""
    if arguments.sort:
        return "--sort"
    if arguments.facets:
        return "--facet"
    if arguments.conditions:
        return "--where"
    return "" if arguments.duplicates else "--no-duplicates"


def asks_catalog(arguments: argparse.Namespace) -> bool:
    """Whether the command asks about the headers of all games of a base, and not only of those found."""
    return bool(arguments.games or arguments.tree or of_whole_results(arguments))


def reads_games(arguments: argparse.Namespace) -> bool:
    """Whether this process reads games that workers of a cluster have searched."""
    return asks_catalog(arguments) or not (arguments.count or arguments.hits is not None)
