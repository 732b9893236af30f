"""`cqlgui help`: describes one keyword of CQL, or lists all keywords, from the registry."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from typing import Any

from cqlgui.cli import terminal
from cqlgui.cql.vocabulary import registry


def run(arguments: argparse.Namespace) -> int:
    """Print one keyword's help, or the list of all keywords. The exit code is 2 for an unknown keyword."""
    if arguments.keyword is None:
        rows = registry.public()
        if arguments.json:
            terminal.put([_object(row) for row in rows])
        else:
            _list(rows)
        return terminal.OK
    row = registry.lookup(arguments.keyword)
    if row is None:
        near = registry.suggest(arguments.keyword)
        hint = f" Did you mean {near}?" if near else " `cqlgui help` lists what there is."
        terminal.say(f"cqlgui help: CQL has no word `{arguments.keyword}`.{hint}")
        return terminal.USAGE
    if arguments.json:
        terminal.put(_object(row))
    else:
        _show(row)
    return terminal.OK


def _list(rows: tuple[registry.Row, ...]) -> None:
    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 0
    kind = ""
    for row in sorted(rows, key=lambda one: (one.kind, one.name.lower(), one.name)):
        if row.kind != kind:
            kind = row.kind
            print(f"{kind.upper()}")
        line = f"  {row.name:<22} {row.sign:<2} {row.meaning}"
        print(textwrap.shorten(line, width, placeholder=" ...", drop_whitespace=False) if width else line)


def _show(row: registry.Row) -> None:
    print(f"{row.name}{'  ' + row.sign if row.sign else ''}  ({', '.join(row.notes)})")
    for line in textwrap.wrap(row.meaning, 96):
        print(f"  {line}")
    for number, form in enumerate(row.forms):
        print(f"  {'form' if not number else '':<8} {form}")
    if row.example:
        print(f"  {'example':<8} {row.example}")


def _object(row: registry.Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "sign": row.sign,
        "kind": row.kind,
        "type": row.result_type,
        "since": row.since,
        "status": row.status,
        "meaning": row.meaning,
        "forms": list(row.forms),
        "example": row.example,
    }
