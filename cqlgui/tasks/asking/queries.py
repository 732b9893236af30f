"""Prepares a query's text for running or showing: limits, checking, the `variations` option, expansion."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path

from cqlgui.base import data, errors
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes, nodes_strings, nodes_studies, nodes_tree
from cqlgui.cql.ast.checked import Checked
from cqlgui.cql.checking import extensions as extensions_of_query
from cqlgui.cql.checking import lints_output
from cqlgui.cql.editing import structure
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.source import diagnostics
from cqlgui.cql.transforming import transforms

LONGEST_QUERY = 4 << 20
ENDINGS = (".cql", ".cqls")
"""File name endings of queries: CQL, and scripts of Scidb (CQL-S)."""


class Rejected(errors.CqlguiError):
    """The query has errors. `diagnostics` lists the errors with their places in `text`."""

    def __init__(self, text: str, found: Sequence[diagnostics.Diagnostic]) -> None:
        faults = tuple(finding for finding in found if finding.severity == "error")
        super().__init__(faults[0].message if faults else "The query was rejected.")
        self.text = text
        self.diagnostics = faults


def expanded(
    text: str, variations: bool = False, said: settings.Settings = settings.USUAL
) -> transforms.Expanded:
    """Check and expand a query. `said` are options that override the query's header. Raises `Rejected`.

    The last results are cached. A query that is shown, estimated and searched is therefore expanded only
    once.
    """
    return _expanded(text, data.replace(said, variations=said.variations or variations))


@functools.lru_cache(maxsize=2)
def _expanded(text: str, said: settings.Settings) -> transforms.Expanded:
    checked = checked_query(text)
    if checked.query is None:
        raise Rejected(text, checked.diagnostics)
    query = settings.override(checked.query, said)
    if query is not checked.query:
        checked = data.replace(checked, query=query)
    faults = lints_output.faults(text, query)
    if faults:
        raise Rejected(text, faults)
    result = transforms.expand(checked)
    if result.query is None:
        raise Rejected(text, result.diagnostics)
    return result


@functools.lru_cache(maxsize=2)
def orbit_at(text: str, offset: int) -> transforms.OrbitInfo | None:
    """The outermost orbit around an offset of a query; None if there is none. The rest of the query is not
    expanded, so this takes little time in a long text."""
    try:
        return transforms.orbit_at(checked_query(text), offset)
    except Rejected:
        return None


def mean_the_same(one: str, other: str) -> bool:
    """Whether two queries differ at most in comments, white space and redundant brackets. If one of the
    queries has errors, the result is true only for equal texts."""
    if one == other:
        return True
    query = structure.checked(one).query
    return query is not None and query == structure.checked(other).query


def sorts_games(query: nodes.Query) -> bool:
    """Whether the query orders the games that match."""
    sorting = nodes.Sort | nodes_studies.StudySort | nodes_tree.SimilarPosition
    return query.header.sort_matchcount or any(isinstance(one, sorting) for one in nodes.walk(query.body))


@dataclass(frozen=True, slots=True)
class FileUse:
    """A filter that reads or writes a file. `verb` is `read` or `write`. `name` is None if the query computes
    the name at run time."""

    node: nodes.Node
    word: str
    verb: str
    name: str | None


def file_uses(found: transforms.Expanded) -> Iterator[FileUse]:
    """The filters of a query that read or write files."""
    assert found.query is not None
    for node in nodes.walk(found.query.body):
        if isinstance(node, nodes_strings.ReadFile):
            yield FileUse(node, "readfile", "read", _literal(node.operand))
        elif isinstance(node, nodes_tree.SimilarPosition):
            yield FileUse(node, "similarposition", "read", node.file)
        elif isinstance(node, nodes_strings.WriteFile):
            yield FileUse(node, "writefile", "write", _literal(node.file))


def _literal(name: nodes.Node) -> str | None:
    return name.value if isinstance(name, nodes.String) else None


def refuse_files(found: transforms.Expanded, *, reading: bool, writing: bool) -> None:
    """Raise `Rejected` for a query that reads or writes files without permission (D11). `reading` and
    `writing` say whether the user allowed a folder for reading and for writing."""
    for use in file_uses(found):
        if not (reading if use.verb == "read" else writing):
            finding = diagnostics.Diagnostic(
                diagnostics.Span(use.node.span.offset, len(use.word)),
                "file-access",
                f"Queries {use.verb} no files unless you allow a folder for that.",
                f"on the command line: --allow-{use.verb} FOLDER",
            )
            raise Rejected(found.text, [finding])


def is_query_file(path: Path) -> bool:
    """Whether a file is a query, judged by its name."""
    return path.suffix.lower() in ENDINGS


def checked_query(text: str) -> Checked:
    """Check a query. Raises `Rejected` if the query is too long; other errors are in the result."""
    if len(text) > LONGEST_QUERY:
        finding = diagnostics.Diagnostic(
            diagnostics.Span(LONGEST_QUERY, 1),
            "too-long",
            f"A query may have {LONGEST_QUERY} characters at most.",
        )
        raise Rejected(text, [finding])
    # The result is cached, so this query is not checked again when its header or its lines are needed.
    return structure.checked(text)


def findings(text: str) -> tuple[diagnostics.Diagnostic, ...]:
    """All diagnostics of a text, including the diagnostics of its expansion."""
    try:
        checked = checked_query(text)
    except Rejected as rejected:
        return rejected.diagnostics
    if checked.query is None:
        return tuple(checked.diagnostics)
    return tuple(transforms.expand(checked).diagnostics)


def extensions(text: str) -> tuple[diagnostics.Diagnostic, ...]:
    """A note for each extension of cqlgui in a query. Empty for a query with errors."""
    query = None if len(text) > LONGEST_QUERY else structure.checked(text).query
    return () if query is None else extensions_of_query.notes(query)


def read_query_file(path: Path) -> str:
    """The text of a UTF-8 `.cql` file; raises `errors.SourceError`."""
    try:
        with path.open("rb") as file:
            data = file.read(4 * LONGEST_QUERY + 1)
    except IsADirectoryError as error:
        raise errors.SourceError(f"{path} is a folder, not a query file.") from error
    except FileNotFoundError as error:
        raise errors.SourceError(f"{path} does not exist.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise errors.SourceError(f"{path} cannot be read: {reason or error}.") from error
    if len(data) > 4 * LONGEST_QUERY:
        raise errors.SourceError(f"{path} is too long for a query.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise errors.SourceError(
            f"{path} is not UTF-8 text (byte {error.start}, line {line}). Save it as UTF-8."
        ) from error
