"""One row for each keyword, with the facts for the lexer, the parser, completion, hover and help.

The rows are in `keywords`, `signs` and `study_keys`; syntax forms and examples are in the modules
`docs…`. Words of kind `internal` are reserved; only some of these words have forms.
"""

from __future__ import annotations

from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.cql.source.tokens import Kind
from cqlgui.cql.vocabulary import (
    docs,
    docs_facts,
    docs_moves,
    docs_paths,
    docs_programs,
    docs_strings,
    docs_tree_board,
    keywords,
    signs,
    study_keys,
)

OWN: Final = "cqlgui only"
"""The status of an extension of cqlgui, which CQL 6.2 does not know."""


@dataclass(frozen=True, slots=True)
class Row:
    """The facts about one spelling. `kind` is filter, transform, direction, operator, parameter, header,
    designator, comment, hhdb key, pgn key or internal. `status` is empty, `deprecated`, `undocumented` or
    `OWN`. `since` is the first version of CQL with this meaning, and empty for `OWN`. `forms` is the syntax.
    `example` is a query that can be run, or the body of such a query. `forms` and `example` are empty for
    some internal words."""

    name: str
    sign: str
    kind: str
    result_type: str
    since: str
    status: str
    meaning: str
    forms: tuple[str, ...]
    example: str

    @property
    def notes(self) -> tuple[str, ...]:
        """Short phrases about the filter: the kind, the type of the value, the first version and the
        status."""
        gives = f"gives {self.result_type}" if self.result_type else ""
        since = f"since {self.since}" if self.since not in ("", "6.0") else ""
        return tuple(filter(None, (self.kind, gives, since, self.status)))


def public() -> tuple[Row, ...]:
    """All rows that are not internal."""
    return tuple(row for row in ROWS if row.kind != "internal")


def lookup(word: str) -> Row | None:
    """The row of a spelling, ASCII or Unicode; None if no row has this spelling. All groups of a regular
    expression (`\\0` to `\\99`) share one row."""
    return _BY_NAME.get("\\0" if _GROUP.fullmatch(word) else word)


_GROUP = pattern(r"\\[0-9]{1,2}")


def complete(prefix: str) -> tuple[Row, ...]:
    """Rows of keywords that begin with `prefix`; all keywords for an empty prefix.

    Ordinary keywords come first, deprecated or undocumented keywords come second, and internal words come
    last. Within each group, keywords come first if `prefix` has at least half of their letters. The remaining
    order is alphabetical.
    """
    lower = prefix.lower()
    near = 2 * len(prefix)

    def order(row: Row) -> tuple[bool, bool, bool, str]:
        return row.kind == "internal", row.status != "", len(row.name) > near, row.name

    found = [
        row
        for row in ROWS
        if (row.name in RESERVED or row.kind == "pgn key") and row.name.lower().startswith(lower)
    ]
    return tuple(sorted(found, key=order))


def is_reserved(word: str) -> bool:
    """True if `word` is a keyword and therefore cannot be the name of a variable."""
    return word in RESERVED


def token_kind(word: str) -> Kind:
    """The token kind of a word that looks like an identifier: KEYWORD, TRANSFORM or DIRECTION. A word that is
    not reserved is a NAME."""
    if word not in RESERVED:
        return Kind.NAME
    return _TOKEN_KINDS.get(_BY_NAME[word].kind, Kind.KEYWORD)


def load_suggesting() -> None:
    """Load the modules that `suggest` needs. Without this, the first misspelled word waits for the disk."""
    import rapidfuzz.distance
    import rapidfuzz.process  # noqa: F401


def suggest(word: str, others: tuple[str, ...] = ()) -> str | None:
    """The keyword or the member of `others` that the user probably meant by the misspelling `word`; None if
    no word is close enough."""
    if len(word) > 40:
        return None
    by_case = _BY_CASE.get(word.lower())
    if by_case is not None:
        return by_case
    # `rapidfuzz` is imported here and not at the top, because it loads slowly and few runs need it.
    from rapidfuzz import process
    from rapidfuzz.distance import DamerauLevenshtein

    choices = (*others, *_SUGGESTIBLE)
    # At most this many letters may be wrong: one in short words, two or three in long words.
    limit = 1 if len(word) <= 4 else 2 if len(word) <= 8 else 3
    best = process.extractOne(word, choices, scorer=DamerauLevenshtein.distance, score_cutoff=limit)
    if best is None:
        return None
    choice: str = best[0]
    return choice if len(word) > 2 else None


_DOCS = {
    **docs.DOCS,
    **docs_facts.DOCS,
    **docs_moves.DOCS,
    **docs_paths.DOCS,
    **docs_tree_board.DOCS,
    **docs_programs.DOCS,
    **docs_strings.DOCS,
}


def _rows() -> tuple[Row, ...]:
    result = []
    for table in (keywords.ROWS, signs.ROWS, study_keys.ROWS):
        for name, sign, kind, result_type, since, status, meaning in table:
            forms, example = _DOCS.get(name, ((), ""))
            result.append(Row(name, sign, kind, result_type, since, status, meaning, forms, example))
    return tuple(result)


ROWS = _rows()
_BY_NAME = {row.name: row for row in ROWS} | {row.sign: row for row in ROWS if row.sign}
_WORD = pattern(r"[A-Za-z$_][A-Za-z0-9$_]*|o-o(-o)?")
RESERVED = frozenset(
    row.name
    for row in ROWS
    if _WORD.fullmatch(row.name) and row.kind not in ("designator", "hhdb key", "pgn key", "comment")
)
_TOKEN_KINDS = {"transform": Kind.TRANSFORM, "direction": Kind.DIRECTION}
_SUGGESTIBLE = tuple(sorted(word for word in RESERVED if _BY_NAME[word].kind != "internal"))
_BY_CASE = {word.lower(): word for word in _SUGGESTIBLE}
