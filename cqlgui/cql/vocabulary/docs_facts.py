"""Help on the words about the game's text, the output of a query and the study database: forms and an
example."""

from __future__ import annotations

from cqlgui.cql.vocabulary import study_meanings

# fmt: off
DOCS: dict[str, tuple[tuple[str, ...], str]] = {
    "tag": (
        ("tag \"Name\"",),
        "initial tag \"Round\" == \"1\""),
    "originalcomment": (
        ("originalcomment", "originalcomment \"text\"", "originalcomment \"!\"", "originalcomment \"$4\"",),
        "originalcomment \"??\""),
    "hascomment": (
        ("hascomment", "hascomment \"text\"",),
        "hascomment \"mate\""),
    "pgn": (
        ("pgn clk", "pgn emt", "pgn eval", "pgn eval black"),
        "pgn clk < 10"),
    "pgn clk": (
        ("pgn clk",),
        "pgn clk < 10 check"),
    "pgn emt": (
        ("pgn emt",),
        "pgn emt >= 600"),
    "pgn eval": (
        ("pgn eval", "pgn eval black",),
        "flipcolor {btm (parent:pgn eval) - pgn eval >= 300}"),
    "settag": (
        ("settag (\"Name\" s)",),
        "mate settag(\"CQLNote\" \"ends in mate\")"),
    "removecomment": (
        ("removecomment",),
        "check removecomment"),
    "message": (
        ("message (F ...)", "message F", "message quiet (F ...)",),
        "mate message(\"mated on \" k)"),
    "hhdb": (
        ("hhdb key", "hhdb key \"text\"", "hhdb special prize max", "hhdb sort award",),
        "initial hhdb prize <= 2"),
    "hhdb source": (
        ("hhdb source",),
        "initial hhdb search \"Shakhmaty\""),
}
# fmt: on

_EXAMPLES = {
    "gbr": 'gbr "+0400"', "kings": 'gbr kings == "e1e8"', "material": 'gbr material == "0400.10"',
    "pawns": 'gbr pawns == "11"', "pieces": 'gbr pieces == "0400"', "composer": 'composer "Reti"',
    "diagram": 'diagram == "12"', "firstcomment": 'firstcomment "EG"', "search": 'search "EG"',
    "stipulation": 'stipulation "win"', "egdiagram": "egdiagram >= 10000",
}  # fmt: skip
_ANYWHERE = frozenset(study_meanings.COMMENT_TAGS)


def _of_key(key: str) -> tuple[tuple[str, ...], str]:
    spelled = f'"{key}"' if study_meanings.quoted(key) else key
    if key in study_meanings.AWARD_WORDS:
        forms = (f"hhdb {key}", f"hhdb {key} max", f"hhdb sort {key}")
        return forms, f"initial hhdb {key} == 1"
    header = "cql(variations) " if key in study_meanings.NEEDS_VARIATIONS else ""
    place = "" if header or key in _ANYWHERE else "initial "
    whole = f"gbr {key}" if f"gbr {key}" in study_meanings.GBR_PARTS else spelled
    searched = (f'hhdb {whole} "text"',) if key in study_meanings.TEXTS or whole != spelled else ()
    return (f"hhdb {whole}", *searched), f"{header}{place}hhdb {_EXAMPLES.get(key, whole)}"


DOCS.update(
    {
        f'hhdb "{key}"' if study_meanings.quoted(key) else f"hhdb {key}": _of_key(key)
        for key in {one.removeprefix("gbr ") for one in study_meanings.ALL}
        | {*study_meanings.CATEGORIES, "special"}
    }
)
