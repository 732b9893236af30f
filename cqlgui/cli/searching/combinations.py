"""Which options of `cqlgui search` do not go together, and what is said of options that change nothing."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from cqlgui.cli.searching import asking

NO_ANNOTATION: Final = "cqlgui search: --annotate changes nothing, for no PGN is written; name one with -o."
NO_STUDY: Final = "cqlgui search: --study changes nothing, for no PGN is written; name one with -o."
NO_JUDGED: Final = (
    "cqlgui search: --syzygy and an engine add columns to rows, and no rows are written: use --jsonl, --csv, "
    "or -o with"
)
NO_FRAME: Final = "cqlgui search: --normalise changes nothing, for no file is written; name one with -o."


def refused_batch(arguments: argparse.Namespace, *, judged: bool) -> str:
    """Why the options do not go with `--batch`; empty if they do. With `judged`, options name judges."""
    if judged:
        return "cqlgui search: --syzygy and an engine judge rows, and --batch prints none."
    if not arguments.files:
        return "cqlgui search: --batch needs a FILE to search in."
    forms = (arguments.jsonl, arguments.csv, arguments.count, arguments.tree)
    if arguments.output is not None or any(forms):
        return "cqlgui search: --batch prints JSON; -o, --jsonl, --csv, --count, --tree do not go with it."
    option = asking.of_whole_results(arguments)
    if option:
        return f"cqlgui search: {option} does not go with --batch."
    return no_rows(arguments) if arguments.spans or arguments.group else ""


def refused(arguments: argparse.Namespace) -> str:
    """Why the options of one search do not go together; empty if they do, as far as is known without the
    query, which may name files."""
    if arguments.sort and not (arguments.jsonl or arguments.csv or _is_table(arguments.output)):
        return "cqlgui search: --sort sorts the rows of --jsonl, of --csv, and of -o in all formats but PGN."
    against = _against_hits(arguments)
    return f"cqlgui search: {against} does not go with --hits." if against else ""


def no_rows(arguments: argparse.Namespace) -> str:
    """Why --group or --spans is refused: nothing that is printed or written has rows."""
    option = "--spans" if arguments.spans else "--group"
    forms = [f"--{name}" for name in ("batch", "json", "count", "tree") if getattr(arguments, name)]
    against = f"does not go with {forms[0]}" if forms else "needs a table"
    return (
        f"cqlgui search: {option} {against}. It says what a row of a table is: of --jsonl, --csv and --hits, "
        "or of -o with another ending than .pgn."
    )


def _against_hits(arguments: argparse.Namespace) -> str:
    """An option that does not go with --hits; empty without --hits, or if all options do."""
    if arguments.hits is None:
        return ""
    forms = ("output", "batch", "json", "jsonl", "csv", "tree", "values", "limit", "syzygy", "uci")
    given = [f"--{name}" for name in forms if getattr(arguments, name)]
    given += ["--facet"] if arguments.facets else []
    given += ["--where"] if arguments.conditions else []
    given += [] if arguments.duplicates else ["--no-duplicates"]
    return {"--uci": "an engine", "--output": "-o"}.get(given[0], given[0]) if given else ""


def _is_table(output: Path | None) -> bool:
    """Whether a file has rows and not games."""
    return output is not None and output.suffix.lower() != ".pgn"
