"""Reads the conditions of old scripts on the data of a game, such as players and dates. A match list may
contain all of these conditions. A position list may contain only the keywords in `POSITION`.

Every condition on a text is printed in brackets. Without the brackets, a filter such as `event` would take
the next string as the text to search for.
"""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Callable
from typing import Final

from cqlgui.cql.legacy.reading import legacy_parameters, legacy_ranges, legacy_reader

Answer = str | bool
"""A CQL 6 filter, or a constant. The constant True adds no condition. True is also the answer after a
reported problem."""

RESULTS: Final = {"1-0": "1-0", "0-1": "0-1", "1/2": "1/2-1/2", "1/2-1/2": "1/2-1/2"}
START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
POSITION: Final = frozenset({":result", ":whiteelo", ":blackelo", ":elo"})
"""The keywords of this module that a position list may contain too."""

NO_EQUIVALENT: Final = (
    ":country", ":whitecountry", ":blackcountry", ":gender", ":whitegender", ":blackgender",
    ":birthyear", ":whitebirthyear", ":blackbirthyear", ":deathyear", ":whitedeathyear",
    ":blackdeathyear", ":iscomputer", ":whiteiscomputer", ":blackiscomputer", ":ishuman",
    ":whiteishuman", ":blackishuman", ":eventcategory", ":eventcountry", ":eventmode", ":eventtype",
    ":timemode", ":termination", ":hasmarker", ":hasspecialmarker", ":hasannotation", ":goodgame",
    ":error", ":ischess960", ":isshufflechess", ":averagerating", ":subround",
)  # fmt: skip
"""Keywords about data that PGN games do not have."""

_PLAIN_STRING = re.compile(r'[^"\\\r\n]*')
_DATE = re.compile(r"(\d{4})(?:[-./](\d{1,2})(?:[-./](\d{1,2}))?)?")
_STEP = re.compile(r"([+-]\d{1,4})([dmy])")
_ECO = re.compile(r"([A-E])(\d\d)(?:-([A-E])?(\d\d))?")
_TAG = re.compile(r"[A-Za-z0-9]\w{0,59}", re.ASCII)


def read(word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems) -> Answer:
    """The condition of a keyword in `KEYWORDS`. The parameters of the keyword are taken from `items`."""
    if word.text in NO_EQUIVALENT:
        legacy_parameters.no_equivalent(word, problems, word.text, "games in PGN do not carry it")
        items.skip_plain()
        return True
    return _READERS[word.text](word, items, problems)


def literal(text: str) -> str:
    """A CQL 6 expression for a string. Strings in quotes have no escapes in CQL 6. Characters that are not
    allowed in quotes are therefore joined to the string with `+`."""
    if _PLAIN_STRING.fullmatch(text):
        return f'"{text}"'
    signs = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r"}
    parts = re.findall(r'[^"\\\r\n]+|["\\\r\n]', text)
    return "(" + "+".join(signs.get(part, f'"{part}"') for part in parts) + ")"


def lower(text: str) -> str:
    """The text in lower case. Only ASCII letters change, as with the CQL 6 filter `lowercase`."""
    return "".join(c.lower() if c.isascii() else c for c in text)


def pattern(text: str) -> tuple[str, bool]:
    """A CQL-S pattern as a regular expression for the whole value, and whether case is significant.

    `*` stands for any run of characters, `?` for one character, a blank for any number of blanks, and `\\x`
    for a literal x. The signs `(` `)` `{` `}` stand for word boundaries. A leading `!` makes case
    significant.
    """
    exact = text.startswith("!")
    parts, at = [], int(exact)
    while at < len(text):
        sign = text[at]
        if sign == "\\" and at + 1 < len(text):
            at += 1
            parts.append(_escaped(text[at], exact))
        elif sign in "(){}":
            parts.append("\\b")
        elif sign.isspace():
            if parts[-1:] != [" *"]:
                parts.append(" *")
        else:
            parts.append({"*": ".*", "?": "."}.get(sign) or _escaped(sign, exact))
        at += 1
    return f"^{''.join(parts)}$", exact


def _escaped(sign: str, exact: bool) -> str:
    shown = sign if exact else lower(sign)
    if sign == '"':
        return "\\x22"
    if sign in "\r\n":
        return {"\r": "\\r", "\n": "\\n"}[sign]
    return "\\" + shown if sign in "^$\\.*+?()[]{}|" else shown


def text_filter(measured: str, wanted: legacy_reader.Word | legacy_reader.Quoted) -> str:
    """The condition that a text of the game contains a word or matches a quoted pattern; in brackets."""
    if isinstance(wanted, legacy_reader.Quoted):
        regex, exact = pattern(wanted.text)
        # `~~` binds tighter than `lowercase`. The inner brackets make `lowercase` act first.
        return f'({measured if exact else f"(lowercase {measured})"} ~~ "{regex}")'
    return f"({literal(lower(wanted.text))} in lowercase {measured})"


def either(texts: list[str]) -> str:
    """Filters joined by `or`, in brackets. A single filter gets no brackets."""
    return texts[0] if len(texts) == 1 else f"({' or '.join(texts)})"


# --- names and tags ---------------------------------------------------------------------------------------


def _text_of(measured: str) -> _Reader:
    def reader(
        word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
    ) -> Answer:
        wanted = legacy_parameters.take_text(items, problems, word.text)
        return True if wanted is None else text_filter(measured, wanted)

    return reader


def _player(word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems) -> Answer:
    wanted = legacy_parameters.take_text(items, problems, word.text)
    if wanted is None:
        return True
    if isinstance(wanted, legacy_reader.Word):
        return text_filter("player", wanted)
    return either([text_filter(f"player {side}", wanted) for side in ("white", "black")])


def _tag(word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems) -> Answer:
    name = legacy_parameters.take_text(items, problems, word.text)
    if name is None:
        return True
    following = items.peek()
    wanted = None
    if isinstance(following, legacy_reader.Quoted) or items.word() is not None:
        wanted = legacy_parameters.take_text(items, problems, word.text)
    if name.text == "*":
        legacy_parameters.no_equivalent(word, problems, f"{word.text} *")
        return True
    if not _TAG.fullmatch(name.text):
        problems.error(name.span, f"bad tag name {name.text}")
        return True
    measured = f'tag "{name.text}"'
    return f"({measured})" if wanted is None else text_filter(measured, wanted)


def _titles(*tags: str) -> _Reader:
    def reader(
        word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
    ) -> Answer:
        titles = legacy_parameters.take_choices(items, problems, word.text)
        texts = [f'tag "{tag}"=={literal(title)}' for tag in tags for title in titles]
        return f"({' or '.join(texts)})" if texts else True

    return reader


# --- numbers ----------------------------------------------------------------------------------------------


def _number(*measured: str, unrated: bool = True) -> _Reader:
    """A function that reads a range and returns the condition that one of the numbers `measured` is in this
    range. If `unrated` is True, the range 0 means that the game does not have the number."""

    def reader(
        word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
    ) -> Answer:
        present = legacy_ranges.take_presence(items)
        if present is not None:
            return either([one if present else f"not {one}" for one in measured])
        limits = legacy_parameters.take_range(items, problems, word.text)
        if limits is None:
            return True
        if unrated and (limits.low, limits.high) == (0, 0):
            return either([f"not {one}" for one in measured])
        texts = [limits.count(one) for one in measured]
        known = [text for text in texts if isinstance(text, str)]
        return either(known) if known else texts[0]

    return reader


def _rating(*measured: str, unrated: bool = True) -> _Reader:
    inner = _number(*measured, unrated=unrated)

    def reader(
        word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
    ) -> Answer:
        system = items.word()
        if system is None:
            problems.error(items.place, f"rating system expected after {word.text}")
            return True
        items.take()
        if system.text.upper() != "ELO":
            legacy_parameters.no_equivalent(word, problems, f"{word.text} {system.text}")
            items.skip_plain()
            return True
        return inner(word, items, problems)

    return reader


def _ply_count(
    word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
) -> Answer:
    limits = legacy_parameters.take_range(items, problems, word.text)
    length = True if limits is None else limits.count("ply")
    return length if isinstance(length, bool) else f"position 0:find {{mainline terminal {length}}}"


def _round(word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems) -> Answer:
    limits = legacy_parameters.take_range(items, problems, word.text)
    return True if limits is None else limits.compare('int tag "Round"')


# --- dates and openings -----------------------------------------------------------------------------------


def _date_of(measured: str) -> _Reader:
    def reader(
        word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
    ) -> Answer:
        present = legacy_ranges.take_presence(items)
        if present is not None:
            # `date` and `eventdate` have a value in every game; an unknown date has question marks.
            return f'({measured}{"!=" if present else "=="}"????.??.??")'
        first = items.word()
        if first is None:
            problems.error(items.place, f"date expected after {word.text}")
            return True
        items.take()
        sign = next((sign for sign in (">=", "<=", ">", "<") if first.text.startswith(sign)), "")
        begin = _day(first.text.removeprefix(sign), last=sign in ("<=", ">"))
        if begin is None:
            problems.error(first.span, f"bad date {first.text}")
            return True
        if sign:
            return f'({measured}{sign}"{_shown(begin)}")'
        end, upper = _day(first.text, last=True), "<="
        second = items.word()
        if second is not None and second.text == "..":
            items.take()
            upper, second = "<", items.word()
            if second is None:
                problems.error(items.place, f"date expected after {word.text}")
                return True
        if second is not None and (
            upper == "<" or _DATE.fullmatch(second.text) or _STEP.fullmatch(second.text)
        ):
            items.take()
            end = _day(second.text, last=upper == "<=") or _stepped(begin, second.text)
            if end is None:
                problems.error(second.span, f"bad date {second.text}")
                return True
        assert end is not None
        begin, end = min(begin, end), max(begin, end)
        if begin == end and upper == "<=":
            return f'({measured}=="{_shown(begin)}")'
        return f'({measured}>="{_shown(begin)}" and {measured}{upper}"{_shown(end)}")'

    return reader


def _day(text: str, *, last: bool) -> datetime.date | None:
    """The day that a date names; None if `text` is no date. If `text` names a whole year or month, the result
    is the first day of this period, or the last day if `last` is True."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day = (int(part) if part else 0 for part in found.groups())
    month = month or (12 if last else 1)
    if not 1 <= year <= 9999 or not 1 <= month <= 12:
        return None
    length = calendar.monthrange(year, month)[1]
    day = day or (length if last else 1)
    return datetime.date(year, month, day) if day <= length else None


def _stepped(day: datetime.date, text: str) -> datetime.date | None:
    """The day that is one step before or after `day`. `text` is the length of the step in days, months or
    years. If the new month does not have the day of the old month, the result is the last day of the new
    month."""
    found = _STEP.fullmatch(text)
    if found is None:
        return None
    number = int(found[1])
    if found[2] == "d":
        ordinal = day.toordinal() + number
        return datetime.date.fromordinal(ordinal) if 1 <= ordinal <= datetime.date.max.toordinal() else None
    months = 12 * day.year + day.month - 1 + number * (12 if found[2] == "y" else 1)
    year, month = divmod(months, 12)
    if not 1 <= year <= 9999:
        return None
    return datetime.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _shown(day: datetime.date) -> str:
    return f"{day.year:04}.{day.month:02}.{day.day:02}"


def _eco(word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems) -> Answer:
    place = items.place
    texts = []
    for code in legacy_parameters.take_choices(items, problems, word.text):
        found = _ECO.fullmatch(code)
        if found is None:
            problems.error(place, f"bad ECO code {code}")
            continue
        letter, number, last_letter, last = found.groups()
        low = letter + number
        if last is None:
            texts.append(f'eco=="{low}"')
        else:
            texts.append(f'(eco>="{low}" and eco<="{last_letter or letter}{last}")')
    if len(texts) == 1 and texts[0].startswith("("):
        return texts[0]
    return f"({' or '.join(texts)})" if texts else True


# --- the rest ---------------------------------------------------------------------------------------------


def _result(word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems) -> Answer:
    place = items.place
    texts = []
    for wanted in legacy_parameters.take_choices(items, problems, word.text):
        if wanted in RESULTS:
            texts.append(f"result {RESULTS[wanted]}")
        elif wanted == "*":
            texts.append("not (result 1-0 or result 0-1 or result 1/2-1/2)")
        elif wanted == "0-0":
            legacy_parameters.no_equivalent(word, problems, f"{word.text} 0-0")
        else:
            problems.error(place, f"bad result {wanted}")
    return either(texts) if texts else True


def _has_comments(
    word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
) -> Answer:
    _refuse_language(word, items, problems)
    return "position 0:find {originalcomment}"


def _comment(
    word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
) -> Answer:
    wanted = legacy_parameters.take_text(items, problems, word.text)
    _refuse_language(word, items, problems)
    if wanted is None:
        return True
    if isinstance(wanted, legacy_reader.Quoted) and re.search(r"[*?(){}\\]|^!", wanted.text):
        # A pattern may match anywhere in a comment. The anchors `^` and `$` are therefore removed from the
        # regular expression.
        regex, exact = pattern(wanted.text)
        measured = "originalcomment" if exact else "(lowercase originalcomment)"
        found = f'({measured} ~~ "{regex[1:-1]}")'
    else:
        found = f"({literal(lower(wanted.text))} in lowercase originalcomment)"
    return f"position 0:find {{{found}}}"


def _refuse_language(
    word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
) -> None:
    if items.word() is not None:
        legacy_parameters.no_equivalent(word, problems, f"{word.text} with a language")
        items.skip_plain()


def _has_variations(
    word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
) -> Answer:
    return "position 0:find variation"


def _start_position(
    word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
) -> Answer:
    wanted = legacy_parameters.take_text(items, problems, word.text)
    if wanted is not None and wanted.text != "518":
        legacy_parameters.no_equivalent(word, problems, f"{word.text} {wanted.text}")
    return f'position 0:fen "{START}"'


def _variant(
    word: legacy_reader.Word, items: legacy_reader.Items, problems: legacy_reader.Problems
) -> Answer:
    variants = legacy_parameters.take_choices(items, problems, word.text)
    if not variants or any(variant.lower() == "normal" for variant in variants):
        return True
    problems.warning(word.span, f"{word.text} names no normal chess, so no game is found")
    return False


_Reader = Callable[[legacy_reader.Word, legacy_reader.Items, legacy_reader.Problems], Answer]
_READERS: Final[dict[str, _Reader]] = {
    ":result": _result,
    ":year": _number("year", unrated=False),
    ":player": _player,
    ":whiteplayer": _text_of("player white"),
    ":blackplayer": _text_of("player black"),
    ":event": _text_of("event"),
    ":site": _text_of("site"),
    ":annotator": _text_of('tag "Annotator"'),
    ":tag": _tag,
    ":whiteelo": _number("elo white"),
    ":blackelo": _number("elo black"),
    ":elo": _number("elo white", "elo black"),
    ":rating": _rating("elo white", "elo black"),
    ":whiterating": _rating("elo white"),
    ":blackrating": _rating("elo black"),
    ":averagerating*": _rating("((elo white + elo black)/2)", unrated=False),
    ":ratingdifference": _rating("(abs (elo white - elo black))", unrated=False),
    ":date": _date_of("date"),
    ":eventdate": _date_of("eventdate"),
    ":eco": _eco,
    ":plycount": _ply_count,
    ":round": _round,
    ":hascomments": _has_comments,
    ":comment": _comment,
    ":hasvariations": _has_variations,
    ":startposition": _start_position,
    ":variant": _variant,
    ":title": _titles("WhiteTitle", "BlackTitle"),
    ":whitetitle": _titles("WhiteTitle"),
    ":blacktitle": _titles("BlackTitle"),
}
KEYWORDS: Final = frozenset(_READERS) | set(NO_EQUIVALENT)
"""All keywords about the data of a game."""
