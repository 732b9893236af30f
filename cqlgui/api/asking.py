"""Queries in the library: checked, explained, written out as orbits, and composed in Python."""

from __future__ import annotations

from typing import TypeAlias

from cqlgui.api import faults
from cqlgui.api.faults import Problem
from cqlgui.cql.ast import nodes
from cqlgui.cql.editing import structure
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import hit_model, truth_model
from cqlgui.tasks.search import explaining, orbits

Text: TypeAlias = "str | Query"
"""A query: its text, or an object that was composed."""


def written(query: Text) -> str:
    """The text of a query. Raises `TypeError` for anything else than a text or a `Query`."""
    if not isinstance(query, str | Query):
        raise TypeError(f"A query is a text or a cqlgui.Query, and no {type(query).__name__}.")
    return str(query)


def check(query: Text) -> tuple[Problem, ...]:
    """The errors and warnings of a query; empty for a query without any.

    >>> [(problem.code, problem.line, problem.column) for problem in check("flip Ra9")]
    [('undeclared-name', 1, 6)]
    """
    text = written(query)
    return tuple(Problem.of(text, found) for found in queries.findings(text))


def orbit(query: Text) -> tuple[hit_model.Orbit, ...]:
    """The orbit of each outermost transform of a query, with all elements written out as CQL. Raises
    `QueryError`.

    >>> [element.text for element in orbit("flipvertical Ra1")[0].elements]
    ['Ra1', 'Rh1']
    """
    with faults.told():
        return orbits.orbits(written(query))


def explain(query: Text, fen: str) -> truth_model.Truth:
    """Truth, value and squares of a query and of each of its parts at a position. Raises `QueryError`,
    `CqlguiError` for a text that is no FEN, and `TypeError` for anything else than a text.

    >>> explain("K attacks k", "8/8/8/8/8/8/k7/2K5 w - - 0 1").matched
    False
    """
    if not isinstance(fen, str):
        raise TypeError(f"A position is a text (FEN), and no {type(fen).__name__}.")
    with faults.told():
        return explaining.explain_fen(fen, written(query))


def query(text: Text) -> Query:
    """A query to be composed with others and with transforms. Raises `QueryError`.

    >>> print(query("Bh7 kg8").flipcolor())
    flipcolor {Bh7 kg8}
    """
    return Query(text)


class Query:
    """A query that is sound. Methods and operators make new queries from it; the query itself never changes.

    `a & b` wants both at the same position, `a | b` one of them, and `~a` the opposite. Each transform of CQL
    is a method. A header, `cql(...)`, stays in front of the composed query. If both parts have a header, the
    headers must be equal. Variables and functions belong to the whole composed query, so two parts must not
    give one name two meanings, and only one part may define a function.

    >>> print(query("cql(variations) mate") & "[RQ] attacks k")
    cql(variations)
    {(mate)
    ([RQ] attacks k)}
    """

    __slots__ = ("_closed", "_header", "_joined", "_text")

    def __init__(self, text: Text) -> None:
        """Raises `QueryError` if the text has errors."""
        self._text = written(text)
        with faults.told():
            queries.expanded(self._text)
        tree = structure.checked(self._text).query
        assert tree is not None
        # The header stands at the beginning. The spans of filters leave out brackets around them, so the body
        # is all that follows the header.
        self._header = self._text[: tree.header.span.end].strip()
        body = self._text[tree.header.span.end :].strip()
        # A comment at the end would go on behind the query.
        end = "\n" if any(sign in body for sign in ("\n", "//", ";")) else ""
        several = isinstance(tree.body, nodes.Compound)
        self._closed = f"{{{body}{end}}}" if several else f"({body}{end})"
        # The parts by the operator that joined them. A long chain of parts must not nest them ever deeper.
        self._joined: dict[str, list[str]] = {}

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"cqlgui.query({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Query) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __and__(self, other: Text) -> Query:
        return self._join("&", _query(other))

    def __rand__(self, other: str) -> Query:
        return Query(other) & self

    def __or__(self, other: Text) -> Query:
        return self._join("|", _query(other))

    def __ror__(self, other: str) -> Query:
        return Query(other) | self

    def __invert__(self) -> Query:
        return _made(self._header, f"not {self._closed}")

    def flip(self) -> Query:
        """The pattern in all eight rotations and reflections of the board."""
        return self._transformed("flip")

    def flipdihedral(self) -> Query:
        """Another name of `flip`."""
        return self._transformed("flipdihedral")

    def flipvertical(self) -> Query:
        """The pattern, and its mirror image with the files exchanged (a and h)."""
        return self._transformed("flipvertical")

    def fliphorizontal(self) -> Query:
        """The pattern, and its mirror image with the ranks exchanged (1 and 8)."""
        return self._transformed("fliphorizontal")

    def flipcolor(self) -> Query:
        """The pattern, and the same pattern for the other colour."""
        return self._transformed("flipcolor")

    def reversecolor(self) -> Query:
        """The same pattern for the other colour, alone."""
        return self._transformed("reversecolor")

    def rotate90(self) -> Query:
        """The pattern in all four quarter turns of the board."""
        return self._transformed("rotate90")

    def rotate45(self) -> Query:
        """The pattern with its directions turned by eighths. It may name no squares."""
        return self._transformed("rotate45")

    def shift(self) -> Query:
        """The pattern wherever it fits on the board."""
        return self._transformed("shift")

    def shifthorizontal(self) -> Query:
        """The pattern moved along the ranks."""
        return self._transformed("shifthorizontal")

    def shiftvertical(self) -> Query:
        """The pattern moved along the files."""
        return self._transformed("shiftvertical")

    def find(self) -> Query:
        """Positions from which on a position of the game matches (CQL's `find`)."""
        return self._transformed("find")

    def _transformed(self, word: str) -> Query:
        return _made(self._header, f"{word} {self._closed}")

    def _join(self, sign: str, other: Query) -> Query:
        parts = [part for one in (self, other) for part in one._joined.get(sign, [one._closed])]
        body = "{" + "\n".join(parts) + "}" if sign == "&" else "\nor ".join(parts)
        made = _made(self._common(other), body)
        made._joined[sign] = parts
        return made

    def _common(self, other: Query) -> str:
        """The header of a query composed of both."""
        if self._header and other._header and self._header != other._header:
            raise ValueError(f"The headers differ: {self._header} and {other._header}.")
        return self._header or other._header


def _query(text: Text) -> Query:
    return text if isinstance(text, Query) else Query(text)


def _made(header: str, body: str) -> Query:
    return Query(f"{header}\n{body}" if header else body)


__all__ = ["Problem", "Query", "Text", "check", "explain", "orbit", "query", "written"]
