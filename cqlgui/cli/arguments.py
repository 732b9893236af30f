"""The command-line arguments of all subcommands."""

from __future__ import annotations

import argparse
import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cqlgui import __version__
from cqlgui.base import errors

if TYPE_CHECKING:
    from cqlgui.cql.interpreting.runtime import settings
    from cqlgui.tasks.analysis import arranging


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all subcommands, or of one subcommand (`only`). The parser of one subcommand is faster to
    build.

    `cqlgui FILE...` without a subcommand opens the window and does not use this parser.
    """
    top = argparse.ArgumentParser(
        prog="cqlgui",
        description="Search chess games with CQL. Without a subcommand the window opens on the files named.",
        epilog="cqlgui FILE... [QUERY.cql] [--scheduler ADDRESS] opens the window.",
    )
    top.add_argument("--version", action="version", version=f"cqlgui {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")
    for name, (words, add) in _COMMANDS.items():
        if only in (None, name):
            add(commands.add_parser(name, help=words))
    return top


def _import(one: argparse.ArgumentParser) -> None:
    one.add_argument("files", nargs="+", type=Path, metavar="FILE")
    one.add_argument(
        "--games",
        metavar="TERMS",
        help="take only the games whose tags fit, before their moves are read: terms as for a search, or any "
        "tag with a pattern, as in 'elo>2200 timecontrol:600+*'; without this option all games are taken",
    )
    one.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the workers of this Dask scheduler read the games of plain files (tls://HOST:8786)",
    )
    one.add_argument("--json", action="store_true", help="print one JSON object")


def _info(one: argparse.ArgumentParser) -> None:
    one.add_argument("files", nargs="+", type=Path, metavar="FILE|BASE")
    one.add_argument("--json", action="store_true", help="print one JSON object")


def _search(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE|BASE",
        help="files, or the folder or address of a published base; without one, the input of the header",
    )
    group = one.add_mutually_exclusive_group(required=True)
    _query(group)
    group.add_argument(
        "--batch",
        type=Path,
        metavar="F.jsonl",
        help='many queries, a line {"id", "query", "variations"}; each answer has its own "error"',
    )
    where = one.add_mutually_exclusive_group()
    where.add_argument(
        "--variations", action="store_true", help="search variations too, as the header word does"
    )
    where.add_argument("--mainline", action="store_true", help="search main lines only, in any case")
    form = one.add_mutually_exclusive_group()
    form.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object: games, positions, count, sources, orbit, ..., and where there are any "
        "comments [game, positionid, text], messages [game, text], tags [game, name, text], "
        "removed_comments [game, positionid] and sort (doc, order, quiet, values [game, value])",
    )
    form.add_argument(
        "--jsonl",
        action="store_true",
        help="print a JSON object for each hit as it is found, or in the order of a query that sorts",
    )
    form.add_argument("--csv", action="store_true", help="print a table of hits")
    form.add_argument("--count", action="store_true", help="print the numbers of games and positions")
    form.add_argument(
        "--tree",
        type=_depth,
        metavar="PLIES",
        help="print the tree of moves after the hits as JSON; with --normalise in the query's own frame",
    )
    row = one.add_mutually_exclusive_group()
    row.add_argument("--group", choices=("game",), help="one row for each game, with the number of its hits")
    row.add_argument(
        "--spans", action="store_true", help="one row for each run of consecutive plies with one element"
    )
    one.add_argument(
        "--sort",
        type=_sorts,
        metavar="COLUMN[,COLUMN...]",
        help="sort the rows of --jsonl, --csv and -o (not PGN) by columns, the most important first; - "
        "before a column puts the largest values first, as in --sort=-white_elo,date (columns: white, "
        "black, white_elo, black_elo, result, date, event, site, round, eco, opening, file, game, place, "
        "ply, element, value, comment, sort_key, hits)",
    )
    one.add_argument("--values", action="store_true", help="with values, order and sort keys (JSON)")
    one.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="write the hits to a file; its ending says how: .pgn .epd .csv .jsonl .html (diagrams) "
        ".parquet .arrow .tex (diagrams for LaTeX) .tsv (notes for Anki)",
    )
    _overwrite(one)
    one.add_argument(
        "--hits",
        type=Path,
        metavar="FOLDER|URL",
        help="let those who search (with --scheduler the workers) write the hits as Parquet files into a new "
        "or empty folder, or to an address; only numbers come back",
    )
    one.add_argument(
        "--study",
        action="store_true",
        help="write a PGN with -o for studies of Lichess: matches marked, chapters named, at most 64 of them "
        "in a file (OUT-1.pgn, OUT-2.pgn, ... if there are more)",
    )
    one.add_argument(
        "--large",
        action="store_true",
        help="write .html and .tex with -o also if they have more than 100,000 diagrams",
    )
    one.add_argument(
        "--annotate",
        action="store_true",
        help="put marks, comments and tags of the query into a PGN written with -o",
    )
    one.add_argument(
        "--normalise",
        action="store_true",
        help="write with -o in the query's own frame, transforms taken back; in a PGN what follows on the "
        "first hit of a game where that is a legal game, else the game as played with its transform named",
    )
    one.add_argument(
        "--engine",
        action=_Engine,
        default="auto",
        metavar="auto|compiled|interpreter|PROGRAM",
        help="how the query is run; or the program of a UCI engine, whose evaluations become columns of the "
        "rows (eval_cp, mate, best, best_san). May be given once for each.",
    )
    _judges(one)
    one.add_argument(
        "--no-pruning",
        dest="pruning",
        action="store_false",
        help="look into every game, whatever its header and signature say",
    )
    one.add_argument(
        "--threads",
        type=_threads,
        metavar="N",
        help="threads and worker processes (default: one a processor; at most four a processor are started)",
    )
    one.add_argument(
        "--games",
        metavar="TERMS",
        help="search only the games whose headers fit: words, field:text, elo>2600, year:1990-2000, "
        "eco:B90-B99, file:NAME; - before a term negates it",
    )
    one.add_argument(
        "--facet",
        type=_facet,
        action="append",
        default=[],
        dest="facets",
        metavar="FACET=VALUE",
        help="of what was found, keep the hits with this value of a facet, or with FACET!=VALUE the hits "
        "without it; may be given several times, and values of one facet are alternatives (facets: element, "
        "result, decade, rating, opening, phase, ply, player, file)",
    )
    one.add_argument(
        "--where",
        type=_condition,
        action="append",
        default=[],
        dest="conditions",
        metavar="CONDITION",
        help="of what was found, keep the hits that meet a condition on the moves or on a picture of the "
        "window, such as then='1...Kh8 2.Be4', year=1990-1999 or arrivals='N 10 e5'; may be given several "
        "times, and all must hold; frame: before it means the query's own frame",
    )
    one.add_argument(
        "--no-duplicates",
        dest="duplicates",
        action="store_false",
        help="of matching games that are the same game, or the beginning of another one, print and write one",
    )
    one.add_argument("--limit", type=_positive, metavar="GAMES", help="stop after so many matching games")
    one.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="search a published base on the workers of this Dask scheduler (tls://HOST:8786)",
    )
    one.add_argument(
        "--partial",
        action="store_true",
        help="leave out parts of a published base that are missing or damaged, and list them (exit code 2)",
    )
    one.add_argument(
        "--allow-read",
        type=_folder,
        action="append",
        default=[],
        metavar="DIR",
        help="let the query read files there (the input of its header)",
    )
    one.add_argument(
        "--allow-write",
        type=_folder,
        action="append",
        default=[],
        metavar="DIR",
        help="let the query write files there (the output of its header)",
    )
    _settings(one)


class _Engine(argparse.Action):
    """`--engine` of `search` means two things. Three words say how the query is run. Anything else is the
    program of an analysis engine (a program with such a name can be named as `./auto`)."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        import difflib

        words = ("auto", "compiled", "interpreter")
        if values in words:
            namespace.engine = values
        elif not values:
            parser.error("argument --engine: the name of the program is empty")
        else:
            namespace.uci = _located(str(values))
            near = difflib.get_close_matches(str(values), words, 1, 0.8)
            if near and not namespace.uci.is_absolute():
                parser.error(
                    f"argument --engine: did you mean {near[0]}? A program of this name is ./{values}"
                )


def _judges(one: argparse.ArgumentParser) -> None:
    """Add the options about tablebases and about the work of an analysis engine."""
    one.set_defaults(uci=None)
    one.add_argument(
        "--syzygy",
        type=_folder,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder with Syzygy tables; their answers become columns (may be repeated)",
    )
    limit = one.add_mutually_exclusive_group()
    limit.add_argument(
        "--engine-nodes",
        type=_positive,
        metavar="N",
        help="the engine searches N nodes for each position (default: 100000), the same in each run",
    )
    limit.add_argument("--engine-depth", type=_positive, metavar="N", help="the engine searches N plies deep")
    limit.add_argument(
        "--engine-seconds", type=_seconds, metavar="S", help="the engine thinks S seconds; results may vary"
    )


def _duplicates(one: argparse.ArgumentParser) -> None:
    one.add_argument("files", nargs="+", type=Path, metavar="FILE|BASE")
    one.add_argument("--json", action="store_true", help="print one JSON object")
    one.add_argument(
        "-o", "--output", type=Path, metavar="KEPT.pgn", help="write the games without the duplicates there"
    )
    _overwrite(one)


def _anticipate(one: argparse.ArgumentParser) -> None:
    one.add_argument("entries", type=Path, metavar="STUDY.pgn", help="the compositions to be examined")
    one.add_argument("files", nargs="+", type=Path, metavar="BASE", help="the collection")
    one.add_argument(
        "--top", type=_positive, default=5, metavar="N", help="so many games for each entry (default: 5)"
    )
    one.add_argument("--json", action="store_true", help="print one JSON object")


def _check(one: argparse.ArgumentParser) -> None:
    _query(one.add_mutually_exclusive_group(required=True))
    one.add_argument("--json", action="store_true", help="print a JSON list")


def _orbit(one: argparse.ArgumentParser) -> None:
    _query(one.add_mutually_exclusive_group(required=True))
    one.add_argument("--json", action="store_true", help="print a JSON list")


def _explain(one: argparse.ArgumentParser) -> None:
    _query(one.add_mutually_exclusive_group(required=True))
    one.add_argument("files", nargs="*", type=Path, metavar="FILE|BASE")
    one.add_argument("--fen", help="the position, without a game")
    one.add_argument("--game", type=_positive, metavar="N", help="ordinal of the game, from 1")
    one.add_argument("--position", type=_natural, metavar="P", help="positionid, from 0 (the start)")
    one.add_argument("--variations", action="store_true")
    one.add_argument(
        "--why-not",
        action="store_true",
        help="only the first filter that fails, and where in the game it holds",
    )
    one.add_argument("--json", action="store_true", help="print one JSON object")


def _format(one: argparse.ArgumentParser) -> None:
    group = one.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a file with the query (- for stdin)"
    )
    _query(group)
    style = one.add_mutually_exclusive_group()
    for word, words in (("unicode", "signs wherever there is one"), ("ascii", "letters and words only")):
        style.add_argument(f"--{word}", dest="style", action="store_const", const=word, help=words)


def _help(one: argparse.ArgumentParser) -> None:
    one.add_argument("keyword", nargs="?", metavar="KEYWORD")
    one.add_argument("--json", action="store_true", help="print JSON")


def _lsp(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--stdio",
        action="store_true",
        help="talk over standard input and output; it always does, but some editors ask for it",
    )


def _translate(one: argparse.ArgumentParser) -> None:
    from cqlgui.cql.legacy import legacy_rules

    one.add_argument("file", type=Path, metavar="OLD.cql", help="the script, .cql or .cqls (- for stdin)")
    one.add_argument(
        "--shift-rule",
        choices=legacy_rules.SHIFT_RULES,
        default="auto",
        help="where old shifts differ: write few images out (auto), all (exact), or use the keyword (cql6)",
    )
    one.add_argument("--skip-start", action="store_true", help="leave the start position out of every list")
    one.add_argument("-o", "--output", type=Path, metavar="NEW.cql", help="write the text there")
    _overwrite(one)


def _study(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "study",
        nargs="?",
        type=Path,
        metavar="STUDY.toml",
        help="the study, or the name of one that is shipped",
    )
    one.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE|BASE",
        help="search these, each as a base of its own, and not the bases of the study",
    )
    one.add_argument("--list", action="store_true", help="list the studies that are shipped, and do no more")
    one.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="TABLE",
        help="write the table to a file: .csv .parquet .html .json",
    )
    _overwrite(one)
    one.add_argument(
        "--engine",
        dest="uci",
        type=_program,
        metavar="PROGRAM",
        help="a UCI engine, which evaluates the first hit of each game",
    )
    _judges(one)
    one.add_argument(
        "--resume", action="store_true", help="use what an earlier run of the study has found already"
    )
    one.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object: title, bases, queries, rows, samples, faults",
    )
    one.add_argument(
        "--threads",
        type=_threads,
        metavar="N",
        help="threads and worker processes (default: one a processor)",
    )


def _publish(one: argparse.ArgumentParser) -> None:
    one.add_argument("files", nargs="+", type=Path, metavar="FILE|BASE")
    one.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FOLDER|URL",
        help="where to: a folder, or an address that fsspec knows (s3://bucket/base)",
    )
    one.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the workers of this Dask scheduler read the files (tls://HOST:8786)",
    )
    one.add_argument("--json", action="store_true", help="print one JSON object")


def _mcp(one: argparse.ArgumentParser) -> None:
    one.add_argument("files", nargs="+", type=Path, metavar="FILE|BASE", help="what assistants may search")
    one.add_argument(
        "--seconds",
        type=_seconds,
        default=20.0,
        metavar="S",
        help="stop a search or another request after S seconds (default: 20)",
    )


def joined(argv: Sequence[str]) -> list[str]:
    """The command-line arguments. If the query after `-e` begins with `-`, the option and the query become
    one word, `--expression=QUERY`. The same goes for the terms after `--games` and the columns after
    `--sort`.

    If the option and the query stayed two words, argparse would take a query such as `--(mate)` for an
    option. If the word after `-e` is exactly the name of an option, the word is taken for this option.
    """
    words = list(argv)
    if not words or words[0] not in SUBCOMMANDS:
        return words
    # argparse would drop this query, too.
    words = ["--expression=-- " if word in ("--expression=--", "-e--") else word for word in words]
    place = 1
    while place < len(words) - 1 and words[place] != "--":
        if words[place] in ("-e", "--expression"):
            text = words[place + 1]
            if text.startswith("-") and text.partition("=")[0] not in _options_of(words[0]):
                # argparse would drop the query `--`, so a blank is added to the query.
                words[place : place + 2] = ["--expression=" + ("-- " if text == "--" else text)]
            else:
                # Skip the query. A query that looks like `-e` or `--` must not be taken for an option.
                place += 1
        elif words[place] in ("--games", "--sort"):
            terms = words[place + 1]
            if terms.startswith("-") and terms.partition("=")[0] not in _options_of(words[0]):
                words[place : place + 2] = [f"{words[place]}={terms}"]
        place += 1
    return words


@functools.cache
def _options_of(command: str) -> set[str]:
    subparsers = next(
        action for action in parser(command)._actions if isinstance(action, argparse._SubParsersAction)
    )
    return {word for action in subparsers.choices[command]._actions for word in action.option_strings}


def _settings(one: argparse.ArgumentParser) -> None:
    """Add options that override the query's header or change what the query writes. The options have the same
    names as in the reference program."""
    group = one.add_argument_group("instead of the query's header")
    group.add_argument(
        "--gamenumber", type=_game_numbers, metavar="N[-[M]]", help="only games with these numbers"
    )
    group.add_argument(
        "--matchcount", type=_counts, metavar="N[-[M]]", help="how many positions must match (0: none)"
    )
    group.add_argument("--matchstring", metavar="TEXT", help="written at matches instead of CQL")
    level = group.add_mutually_exclusive_group()
    level.add_argument("--quiet", action="store_true", help="no comments but those that the query asks for")
    level.add_argument("--silent", action="store_true", help="no comments and no tags")
    group = one.add_argument_group("what the query writes")
    group.add_argument("--noheader", action="store_true", help="no comment with game number and sort values")
    group.add_argument("--alwayscomment", action="store_true", help="keep the comments of filters that fail")
    group.add_argument(
        "--nosortcomments", action="store_true", help="keep the comments of every value of a sort"
    )
    group.add_argument("--nouniquecomments", action="store_true", help="repeat equal comments at a position")
    group.add_argument("--noremovecomment", action="store_true", help="let removecomment remove nothing")
    group.add_argument("--nosettag", action="store_true", help="let settag set nothing")


def _overwrite(one: argparse.ArgumentParser) -> None:
    """Add the option that goes with every `-o` for a file (`terminal.refuse_existing`)."""
    one.add_argument("--overwrite", action="store_true", help="let -o replace a file that exists")


def _query(group: argparse._MutuallyExclusiveGroup) -> None:
    group.add_argument("-e", "--expression", metavar="TEXT", help="the query itself")
    group.add_argument("--query-file", type=Path, metavar="F.cql", help="a file with the query (- for stdin)")


def _folder(words: str) -> Path:
    """The path of an allowed folder. An empty name is refused, because it would mean the current folder. An
    empty name often comes from an unset shell variable."""
    if not words:
        raise argparse.ArgumentTypeError("the name of the folder is empty")
    return Path(words)


def _program(words: str) -> Path:
    if not words:
        raise argparse.ArgumentTypeError("the name of the program is empty")
    return _located(words)


def _located(words: str) -> Path:
    """The path of a program. `Path` would drop the folder of `./engine`, which says that the current folder
    is meant."""
    return Path(words).absolute() if os.path.dirname(words) else Path(words)  # noqa: PTH120  # see above


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not _LEAST_SECONDS <= seconds <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"seconds from {_LEAST_SECONDS} to {_MOST_SECONDS:,.0f} were expected, not {text[:40]!r}"
        )
    return seconds


def _positive(text: str) -> int:
    return _number(text, 1)


def _threads(text: str) -> int:
    from cqlgui.tasks.results import search_model

    return min(_positive(text), search_model.MOST_WORKERS)


def _game_numbers(text: str) -> settings.Bounds:
    return _bounds(text, 1)


def _counts(text: str) -> settings.Bounds:
    return _bounds(text, 0)


def _bounds(text: str, least: int) -> settings.Bounds:
    """Parse `N`, `N-M`, or `N-` (N and above)."""
    low, dash, high = text.partition("-")
    try:
        first = _number(low, least)
        bounds = (first, _number(high, least) if high else _HIGHEST if dash else first)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"a number from {least}, or two as in 2-5, was expected, not {text[:40]!r}"
        ) from None
    if bounds[0] > bounds[1]:
        raise argparse.ArgumentTypeError("the smaller number stands first")
    return bounds


def _depth(text: str) -> int:
    from cqlgui.tasks.analysis import continuations

    depth = _positive(text)
    if depth > continuations.DEEPEST:
        raise argparse.ArgumentTypeError(f"a tree has at most {continuations.DEEPEST} plies")
    return depth


def _sorts(text: str) -> tuple[arranging.Key, ...]:
    from cqlgui.tasks.analysis import sorted_rows

    try:
        return sorted_rows.parsed(text)
    except errors.CqlguiError as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None


def _facet(text: str) -> str:
    from cqlgui.tasks.analysis import facet_terms

    return _term(text, facet_terms.split)


def _condition(text: str) -> str:
    from cqlgui.tasks.pictures import terms

    return _term(text, terms.split)


def _term(text: str, split: Callable[[str], object]) -> str:
    """A term that `split` can read. Its value is looked up when the games are open."""
    try:
        split(text)
    except errors.CqlguiError as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None
    return text


def _natural(text: str) -> int:
    return _number(text, 0)


def _number(text: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > _DIGITS or int(text) < least:
        raise argparse.ArgumentTypeError(f"a number from {least} was expected, not {text[:40]!r}")
    return int(text)


_LEAST_SECONDS, _MOST_SECONDS = 0.01, 86_400.0
_DIGITS = 18
_HIGHEST = 10**_DIGITS - 1
_COMMANDS: Final = {
    "import": ("build or refresh the index of PGN files", _import),
    "info": ("what is in a file or base", _info),
    "search": ("find games and positions that a query describes", _search),
    "duplicates": ("games that are in a base more than once", _duplicates),
    "anticipate": ("the compositions of a collection that are nearest to given ones", _anticipate),
    "check": ("the diagnostics of a query", _check),
    "orbit": ("the elements of each transform's orbit, as CQL", _orbit),
    "publish": ("put a base into a folder where any computer can search it", _publish),
    "explain": ("the truth of each sub-filter at a position, or the plan", _explain),
    "format": ("a query tidied, with letters and words or with Unicode signs", _format),
    "help": ("what a keyword of CQL means; without one, all of them", _help),
    "lsp": ("the language server, which editors start", _lsp),
    "mcp": ("answer assistants, by the Model Context Protocol on standard input and output", _mcp),
    "study": ("many queries over several bases as one table", _study),
    "translate": ("a script of CQL 1-3 or CQL-S as CQL 6 text", _translate),
}
SUBCOMMANDS = tuple(_COMMANDS)
