"""`hhdb` (spec 14): how its keys are read, typed and printed. Transforms do not change the keys."""

from __future__ import annotations

from typing import Final, cast

from cqlgui.cql.ast import nodes, nodes_studies, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.printing import printers
from cqlgui.cql.source.tokens import STRING_LITERAL, Kind, Token
from cqlgui.cql.syntax.reading import operands
from cqlgui.cql.syntax.reading.cursor import Broken, Cursor, shown
from cqlgui.cql.syntax.reading.readers import READERS
from cqlgui.cql.transforming import transform_rules
from cqlgui.cql.vocabulary import study_meanings

# --- reading ------------------------------------------------------------------------------------------------


def _hhdb(cursor: Cursor, token: Token) -> nodes.Node:
    key = _key(cursor.peek())
    if key in study_meanings.AWARD_WORDS:
        return _award(cursor, token)
    if key == study_meanings.UNDEFINED:
        message = "`hhdb source` exists as a word, but CQL gives it no meaning."
        taken = cursor.take()
        return cursor.report_always(taken.span, "undefined-key", message, "hhdb search looks at all texts")
    if key is None or key not in study_meanings.ALL:
        return _unknown(cursor)
    cursor.take()
    if (
        key == "gbr"
        and (part := _key(cursor.peek())) is not None
        and f"gbr {part}" in study_meanings.GBR_PARTS
    ):
        cursor.take()
        key = f"gbr {part}"
    made = nodes_studies.Study(cursor.since(token.offset), key)
    return operands.searched(cursor, made) if key in study_meanings.TEXTS else made


def _key(token: Token) -> str | None:
    """The key that a token spells, or None. Only keys with special characters stand in quotes."""
    if token.word == STRING_LITERAL:
        return token.string if token.string and study_meanings.quoted(token.string) else None
    return token.text if token.kind in _WORDS else None


_WORDS: Final = frozenset({Kind.NAME, Kind.KEYWORD, Kind.TRANSFORM, Kind.DIRECTION})


def _unknown(cursor: Cursor) -> nodes.Node:
    token = cursor.peek()
    if token.word == "<":
        # The tokens between `<` and `>` are skipped, including brackets and their contents.
        while cursor.peek().word != ">" and not cursor.at_end_of_group():
            cursor.take_whole()
        cursor.accept(">")
        message = "A key with special characters stands in quotes."
        return cursor.report_always(cursor.since(token.offset), "unquoted-key", message, 'hhdb "<cook>"')
    text = token.string if token.word == STRING_LITERAL else token.text
    if token.kind not in _WORDS and token.word != STRING_LITERAL:
        return cursor.expected("a key after `hhdb`", 'hhdb composer, hhdb prize, hhdb "<cook>" ...')
    import difflib

    near = difflib.get_close_matches(text, (*study_meanings.ALL, *study_meanings.AWARD_WORDS), 1)
    broken = cursor.report(
        token.span, "unknown-key", f"`{shown(token)}` is no key of hhdb.",
        f"did you mean {_spelled(near[0])}?" if near else "hhdb composer, hhdb prize ...",
    )  # fmt: skip
    cursor.take()
    cursor.hush()
    return broken


def _award(cursor: Cursor, token: Token) -> nodes.Node:
    seen: list[str] = []
    errors = cursor.errors
    while (word := _key(cursor.peek())) in study_meanings.AWARD_WORDS:
        assert word is not None
        taken = cursor.take()
        if word in seen or (_is_category(word) and any(_is_category(one) for one in seen)):
            what = "names a second kind of award" if _is_category(word) else "stands here twice"
            cursor.report_always(taken.span, "duplicate-parameter", f"`{word}` {what}.")
        seen.append(word)
        if "sort" in seen and "max" in seen and cursor.errors == errors:
            message = "`hhdb sort` orders by all ranks and takes no `max`."
            cursor.report_always(taken.span, "conflicting-words", message)
    category = next((word for word in seen if _is_category(word)), "award")
    if "sort" in seen and cursor.errors == errors:
        if seen[-1] == "sort" and len(seen) > 1:
            # In `hhdb award sort`, the word `sort` could also begin a separate `sort` filter. `sort` must
            # therefore not be the last of several award words.
            last = cursor.tokens[cursor.position - 1]
            hint = f"write hhdb sort {seen[0]}, or bracket the award"
            cursor.report_always(last.span, "misplaced-word", "`sort` may not stand last after `hhdb`.", hint)
        elif seen == ["sort"]:
            cursor.expected("award, prize, hm, commendation or special after `hhdb sort`")
    if cursor.errors > errors:
        return Broken(token.span)
    span, special = cursor.since(token.offset), "special" in seen
    named = cast(nodes_studies.AwardCategory, category)
    if "sort" in seen:
        return nodes_studies.StudySort(span, named, special)
    return nodes_studies.StudyAward(span, named, special, "max" in seen)


def _is_category(word: str) -> bool:
    return word in study_meanings.CATEGORIES


READERS["hhdb"] = _hhdb

# --- types --------------------------------------------------------------------------------------------------


def _type(node: nodes.Node, names: types.Names) -> Type:
    assert isinstance(node, nodes_studies.Study)
    if node.key in study_meanings.TEXTS:
        return Type.STRING
    return Type.NUMERIC if node.key in study_meanings.NUMBERS else Type.LOGICAL


types.RULES.update(
    {
        nodes_studies.Study: _type,
        nodes_studies.StudyAward: types.always(Type.NUMERIC),
        nodes_studies.StudySort: types.always(Type.LOGICAL),
    }
)

# --- printing and transforms --------------------------------------------------------------------------------


def _spelled(key: str) -> str:
    return f'"{key}"' if study_meanings.quoted(key) else key


def _print_study(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_studies.Study)
    return printers.Printed(f"hhdb {_spelled(node.key)}")


def _print_award(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_studies.StudyAward)
    words = ("special " if node.special else "") + node.category + (" max" if node.max else "")
    return printers.Printed(f"hhdb {words}")


def _print_sort(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_studies.StudySort)
    return printers.Printed("hhdb sort " + ("special " if node.special else "") + node.category)


printers.PRINTERS.update(
    {
        nodes_studies.Study: _print_study,
        nodes_studies.StudyAward: _print_award,
        nodes_studies.StudySort: _print_sort,
    }
)
transform_rules.RULES.update(
    {
        nodes_studies.Study: transform_rules.fixed(),
        nodes_studies.StudyAward: transform_rules.fixed(),
        nodes_studies.StudySort: transform_rules.fixed(),
    }
)
