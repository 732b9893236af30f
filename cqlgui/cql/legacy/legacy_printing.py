"""Prints position lists of old scripts as CQL 6 text.

Constant conditions are simplified: a designator without squares never holds, and a count over an empty set is
0. Generated loop variables get numbers that are unique in the whole script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from cqlgui.base import data
from cqlgui.base.data import dataclass, field
from cqlgui.cql.legacy import legacy_images, legacy_logic, legacy_rules
from cqlgui.cql.legacy.reading import (
    legacy_designators,
    legacy_nodes,
    legacy_ranges,
    legacy_reader,
    legacy_shift,
)

Designator = legacy_designators.Designator
Conjuncts = legacy_logic.Conjuncts
Terms = tuple[legacy_nodes.Term, ...]
Wrap = Callable[[Conjuncts], Conjuncts]

MOST_WRITTEN: Final = 24
"""The rule "auto" writes out at most this many different shifted lists. "exact" writes out all lists."""
MANY_MATCHES: Final = 100_000
MANY_ELEMENTS: Final = 1000
_LIST_BUDGET: Final = 30_000
_SCRIPT_BUDGET: Final = 90_000
# The cost of each sum, in parts of the budget. A sum may contain sums, and the text can double in length with
# each level of nesting.
_SUM_COST: Final = 200


@dataclass(slots=True)
class Names:
    """Generates names for loop variables: `$n1`, `$x1`, `$n2` ... Names in `taken` are skipped."""

    taken: frozenset[str] = frozenset()
    counts: dict[str, int] = field(default_factory=dict)

    def fresh(self, letter: str) -> str:
        """A name that is not used yet. The name consists of `$`, the letter and a number."""
        while True:
            number = self.counts[letter] = self.counts.get(letter, 0) + 1
            if f"{letter}{number}" not in self.taken:
                return f"${letter}{number}"


@dataclass(frozen=True, slots=True)
class Context:
    """The circumstances that influence the text of a condition.

    `variations` is True if the header has `variations`. `confined` is True if the list that contains the
    condition is restricted to the main line. `transformed` is True if a transform encloses the condition.
    `turned` is True if a transform that moves squares encloses the condition. `pattern` holds the squares of
    the designators in the list that contains the condition.
    """

    problems: legacy_reader.Problems
    accumulators: Mapping[str, tuple[legacy_nodes.PositionList, ...]]
    shift_rule: legacy_rules.ShiftRule = "auto"
    names: Names = field(default_factory=Names)
    budget: legacy_images.Budget = field(default_factory=lambda: legacy_images.Budget(_SCRIPT_BUDGET))
    variations: bool = False
    confined: bool = False
    transformed: bool = False
    turned: bool = False
    pattern: int = 0
    summing: frozenset[str] = frozenset()

    @property
    def keeps_to_main_line(self) -> bool:
        """Whether the text must restrict the list to the main line. A restriction is necessary only if the
        header has `variations`."""
        return self.variations and self.confined


def conjuncts(listing: legacy_nodes.PositionList, context: Context) -> Conjuncts:
    """The filters of a list, including its transforms and its bare `:not`."""
    return transformed(listing, context, lambda parts: parts)


def transformed(listing: legacy_nodes.PositionList, context: Context, wrap: Wrap) -> Conjuncts:
    """Like `conjuncts`, but `wrap` is applied to the conditions inside the transforms."""
    sums = tuple(term for term in listing.terms if isinstance(term, legacy_nodes.Sum))
    apart = sums if listing.is_transformed or listing.accumulate else ()
    terms = tuple(term for term in listing.terms if term not in apart)
    own = [term for term in apart if term.name == listing.accumulate]
    if own:
        # If a list has a `:sumrange` of its own accumulator, the text of the list is not printed separately.
        # The text of the `:sumrange` contains the list, and counts how many images of the list hold.
        main: Conjuncts = []
    else:
        main = _orbit(listing, terms, context, wrap).shown
    found = legacy_logic.joined([main, *(_sum(term, context) for term in apart)])
    return (
        legacy_logic.negated(found, transformed=_has_own_brackets(listing, found))
        if listing.negated
        else found
    )


def _has_own_brackets(listing: legacy_nodes.PositionList, parts: Conjuncts) -> bool:
    """Whether the text of a transformed list begins with a transform keyword or with a round bracket. After a
    round bracket, the text lists the images of a transform that was written out."""
    if not listing.is_transformed or not parts:
        return False
    return parts[0].startswith(("(", "flip", "shift"))


# --- transforms -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Orbit:
    """The images of a list. Usually the transforms are printed as `keywords` before `body`. If some
    transforms have no suitable keyword, their images are written out. In this case `choices` holds the
    images, and `choices` is printed instead of `body`."""

    keywords: tuple[str, ...]
    body: Conjuncts = None
    choices: tuple[Conjuncts, ...] | None = None

    @property
    def shown(self) -> Conjuncts:
        whole = self.body if self.choices is None else legacy_logic.some(self.choices)
        if not whole or not self.keywords:
            if whole and self.choices is not None and len([c for c in self.choices if c]) == 1:
                return next(c for c in self.choices if c)
            return whole
        inner = whole[0] if self.choices is not None else legacy_logic.block(whole)
        return [f"{' '.join(self.keywords)} {inner}"]


def _orbit(
    listing: legacy_nodes.PositionList,
    terms: Terms,
    context: Context,
    wrap: Wrap,
    *,
    counting: bool = False,
) -> _Orbit:
    """The images of a list under its transforms. `counting` is True if the number of images matters."""
    turned = bool(listing.flips or listing.shifts)
    inner = data.replace(
        context,
        transformed=context.transformed or listing.is_transformed,
        turned=context.turned or turned,
        pattern=_pattern(listing.terms),
    )

    def show(some: Terms) -> Conjuncts:
        return wrap(_repeated(listing, _body(some, data.replace(inner, pattern=_pattern(some))), inner))

    if not listing.is_transformed:
        whole = show(terms)
        return _Orbit(("reversecolor",) if listing.swapped else (), whole)
    if legacy_shift.order_matters((*listing.flips, *listing.shifts)):
        context.problems.warning(
            listing.span,
            "order of transforms: they do not commute; the old dialect tries every order, CQL 6 one",
        )
    colour = ("flipcolor",) if listing.colour else ()
    flips = legacy_shift.flip_keywords(listing.flips)
    # Images are compared as terms. If texts were compared, every nested list would be printed twice at every
    # level of nesting.
    images: dict[Terms, None] = {}
    budget = context.budget.part(_LIST_BUDGET)
    for name in legacy_shift.expanded_flips(listing.flips):
        try:
            image = legacy_images.flip(terms, name, budget)
        except legacy_images.TooLarge:
            context.problems.error(
                listing.span, "this list is too large for its diagonal flip to be written out"
            )
            break
        images[image] = None
    context.budget.charge(budget)
    plans = [_plan(listing, image, inner, counting=counting) for image in images]
    if len(plans) == 1 and plans[0].elements is None:
        return _Orbit((*colour, *plans[0].keyword, *flips), show(plans[0].terms))
    choices: list[Conjuncts] = []
    for plan in plans:
        if plan.elements is not None:
            choices += [show(element) for element in plan.elements]
        elif plan.keyword:
            body = show(plan.terms)
            choices.append([f"{plan.keyword[0]} {legacy_logic.block(body)}"] if body else body)
        else:
            choices.append(show(plan.terms))
    return _Orbit((*colour, *flips), choices=tuple(choices))


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the shifts of a list are printed: by keyword, or element by element."""

    terms: Terms
    keyword: tuple[str, ...] = ()
    elements: tuple[Terms, ...] | None = None


def _plan(listing: legacy_nodes.PositionList, terms: Terms, context: Context, *, counting: bool) -> _Plan:
    """Choose how to print the shifts of a list. The keyword is used if the CQL 6 rule and the old rule give
    equal lists. The keyword is also used if there are too many lists to write out."""
    if not listing.shifts:
        return _Plan(terms)
    vectors = legacy_shift.vectors_of(listing.shifts)
    word = legacy_shift.keyword_of(listing.shifts)
    keyword = (word,) if word else ()
    if word and context.shift_rule == "cql6":
        return _Plan(terms, keyword)
    counting = counting or listing.transformed_count is not None
    subject = "accumulator" if counting else "edge squares"
    budget = context.budget.part(_LIST_BUDGET)
    try:
        old = _elements(terms, vectors, context, budget, old=context.shift_rule != "cql6")
        new = _elements(terms, vectors, context, budget, old=False) if word else {}
    except legacy_images.TooLarge:
        if word:
            context.problems.warning(
                listing.shift_span,
                f"{subject}: too many elements to compare with the CQL 6 rule, which is used",
            )
            return _Plan(terms, keyword)
        context.problems.error(listing.shift_span, "this list is too large for its shifts to be written out")
        return _Plan(terms)
    finally:
        context.budget.charge(budget)
    if word and context.shift_rule == "auto":
        if old.keys() == new.keys():
            return _Plan(terms, keyword)
        if len(old) > MOST_WRITTEN or counting:
            context.problems.warning(
                listing.shift_span,
                f"{subject}: {len(old)} elements under the old shift rule,"
                f" {len(new)} under the CQL 6 rule, which is used",
            )
            return _Plan(terms, keyword)
    return _Plan(terms, elements=tuple(old.values()))


def _elements(
    terms: Terms,
    vectors: tuple[tuple[int, int], ...],
    context: Context,
    budget: legacy_images.Budget,
    *,
    old: bool,
) -> dict[tuple[str, ...], Terms]:
    """The different shifted lists, keyed by their text. A list that is always false is left out. Under the
    rule of CQL 6, a list is also left out if one of its designators has lost all squares."""
    found: dict[tuple[str, ...], Terms] = {}
    for vector in vectors:
        image = legacy_images.shift(terms, vector, budget, old=old)
        if image.emptied:
            continue
        text = _silent(image.terms, context)
        if text is not None:
            found.setdefault(tuple(text), image.terms)
    return found


def _silent(terms: Terms, context: Context) -> Conjuncts:
    """The text of terms, used only for comparisons. The numbers of generated names start at 1 in each text,
    and problems are not reported."""
    return _body(
        terms,
        data.replace(
            context,
            names=Names(),
            problems=legacy_reader.Problems(),
            shift_rule="cql6",
            pattern=_pattern(terms),
        ),
    )


def _pattern(terms: Terms) -> int:
    """The squares of all designators that are complete conditions of a list."""
    squares = 0
    for term in terms:
        if isinstance(term, legacy_nodes.Plain) and len(term.parts) == 1:
            (part,) = term.parts
            if isinstance(part, Designator):
                squares |= part.reached
    return squares


def _repeated(listing: legacy_nodes.PositionList, parts: Conjuncts, context: Context) -> Conjuncts:
    """`:repetitioncount`: the filters hold at a number of successive positions. The first of these positions
    is the current position."""
    limits = listing.repetitions
    if limits is None or parts is None:
        return parts
    low = max(1, limits.low or 1)
    if limits.high is not None and limits.high < low:
        return None
    times = f"{{{low}}}" if limits.high == low else f"{{{low},{'' if limits.high is None else limits.high}}}"
    if context.keeps_to_main_line:
        parts = ["mainline", *parts]
    return [f"line --> {legacy_logic.block(parts)}{times}"]


# --- accumulators -----------------------------------------------------------------------------------------


def _sum(term: legacy_nodes.Sum, context: Context) -> Conjuncts:
    """The condition that a count is in the range of `term`. Each image of the accumulator's lists adds 1 to
    the count if the image holds here."""
    lists = context.accumulators.get(term.name, ())
    if not lists:
        return []
    if term.name in context.summing:
        context.problems.error(term.span, f":sumrange inside the lists of its own accumulator {term.name}")
        return []
    try:
        context.budget.spend(_SUM_COST)
    except legacy_images.TooLarge:
        context.problems.error(term.span, "the accumulators of this script are too large to be written out")
        return []
    inner = data.replace(context, summing=context.summing | {term.name})
    if len(lists) == 1:
        text = _counted(lists[0], inner, term.range)
        return None if text is False else [] if text is True else [text]
    counts = [_number(one, inner) for one in lists]
    return _comparison(term.range.count("(" + "+".join(f"({count})" for count in counts) + ")"))


def _counted(listing: legacy_nodes.PositionList, context: Context, limits: legacy_ranges.Range) -> str | bool:
    """The condition that a count is in a range. Each image of the list adds 1 to the count if the image
    holds. The text uses transform keywords where possible."""
    orbit = _count_orbit(listing, context)
    keywords = [word for word in orbit.keywords if not (listing.by_colour and word == "flipcolor")]
    by_colour = len(keywords) < len(orbit.keywords)
    if orbit.choices is None and keywords and orbit.body:
        words = limits.words(MANY_ELEMENTS)
        text: str | bool = f"{' '.join(keywords)} {words} {legacy_logic.block(orbit.body)}"
    else:
        text = limits.count(_ones(keywords, orbit))
    # Without `true`, CQL 6 would combine `flipcolor` with the next transform. The count would then be the sum
    # for both colours.
    return f"flipcolor {{true {text}}}" if by_colour and isinstance(text, str) else text


def _number(listing: legacy_nodes.PositionList, context: Context) -> str:
    orbit = _count_orbit(listing, context)
    if orbit.choices is None and orbit.keywords and orbit.body:
        return f"{' '.join(orbit.keywords)} count {legacy_logic.block(orbit.body)}"
    return _ones(list(orbit.keywords), orbit)


def _ones(keywords: list[str], orbit: _Orbit) -> str:
    """CQL 6 text for a number. If `keywords` is empty, this is the number of choices that hold. Otherwise
    this is the number of images of the choices that hold; the keywords give the images."""
    choices = orbit.choices if orbit.choices is not None else (orbit.body,)
    blocks = list(dict.fromkeys(legacy_logic.block(choice) for choice in choices if choice is not None))
    before = " ".join(keywords)
    terms = [f"({before} count {one})" if before else f"(if {one} 1 else 0)" for one in blocks]
    return legacy_logic.bracketed(terms, "+") if terms else "0"


def _count_orbit(listing: legacy_nodes.PositionList, context: Context) -> _Orbit:
    terms = tuple(term for term in listing.terms if not isinstance(term, legacy_nodes.Sum))
    return _orbit(listing, terms, context, lambda parts: parts, counting=True)


# --- conditions -------------------------------------------------------------------------------------------


def _body(terms: Terms, context: Context) -> Conjuncts:
    """All conditions of a list."""
    found: list[str] = []
    for term in terms:
        parts = _PRINTERS[type(term)](term, context)
        if parts is None:
            return None
        found += parts
    return found


def _comparison(text: str | bool) -> Conjuncts:
    return None if text is False else [] if text is True else [text]


def _plain(term: legacy_nodes.Plain, context: Context) -> Conjuncts:
    designators = [part for part in term.parts if isinstance(part, Designator)]
    if any(not one.reached for one in designators):
        return [] if term.if_empty else None
    if term.facing is not None and context.turned:
        context.problems.warning(
            term.facing, "directions: CQL 6 turns the directions of :pawncount together with the list"
        )
    if len(term.parts) == 1 and designators:
        return [_alone(designators[0], context)]
    texts = []
    for part in term.parts:
        if isinstance(part, str):
            texts.append(part)
        else:
            one = part.designator if isinstance(part, legacy_nodes.Fixed) else part
            texts.append(atom(one, context.names))
    return ["".join(texts)]


def _always(term: legacy_nodes.Always, context: Context) -> Conjuncts:
    return [] if term.value else None


def _attack_count(term: legacy_nodes.AttackCount, context: Context) -> Conjuncts:
    first, second, limits = term.attackers, term.attacked, term.range
    if not first.reached or not second.reached:
        return [] if limits.holds(0) else None
    one, other = atom(first, context.names), atom(second, context.names)
    if limits == legacy_ranges.Range(1, None):
        return [f"{one} attacks {other}"]
    if limits.high == 0 and limits.holds(0):
        return [f"not {one} attacks {other}"]
    if _is_single(second):
        return _comparison(limits.count(f"({one} attacks {other})"))
    if _is_single(first):
        return _comparison(limits.count(f"({other} attackedby {one})"))
    return _loop(one, f"{other} attackedby ", "", limits, context.names)


def _loop(domain: str, before: str, after: str, limits: legacy_ranges.Range, names: Names) -> Conjuncts:
    """The condition that a sum is in a range. The sum runs over the squares x of `domain`. For each x, the
    size of the set `before x after` is added."""
    total = "\0"
    text = limits.count(total)
    if isinstance(text, bool):
        return _comparison(text)
    number, square = names.fresh("n"), names.fresh("x")
    body = f"{before}{square}{after}"
    compared = text.replace(total, number)
    return [f"{{{number}=0 square all {square} in {domain} {{{number}+=#({body})}} {compared}}}"]


def _ray_count(term: legacy_nodes.RayCount, context: Context) -> Conjuncts:
    if any(not one.reached for one in term.along):
        return [] if term.range.holds(0) else None
    texts = [atom(one, context.names) for one in term.along]
    if term.range == legacy_ranges.Range(1, None):
        return [f"{term.words} ({' '.join(texts)})"]
    return _loop(
        texts[0],
        f"{term.words} (",
        "".join(f" {text}" for text in texts[1:]) + ")",
        term.range,
        context.names,
    )


def _power_difference(term: legacy_nodes.PowerDifference, context: Context) -> Conjuncts:
    first, second = (f"power {atom(one, context.names)}" for one in (term.first, term.second))
    return _comparison(term.range.compare(f"{first} - {second}"))


def _ply_count(term: legacy_nodes.PlyCount, context: Context) -> Conjuncts:
    parts = _comparison(term.range.count("ply"))
    return (
        ["mainline " + " ".join(parts) if parts else "mainline"]
        if parts is not None and context.variations
        else parts
    )


def _plies_to_go(term: legacy_nodes.PliesToGo, context: Context) -> Conjuncts:
    end = "{mainline terminal}" if context.variations else "terminal"
    return [f"line --> true{{{term.number}}} --> {end}"]


def _move(term: legacy_nodes.Move, context: Context) -> Conjuncts:
    sets = [one for one in (term.origin, term.target, term.promote_squares) if one is not None]
    if any(not one.reached for one in sets):
        return None
    white = "".join(c for c in term.promote if c.isupper())
    black = "".join(c for c in term.promote if c.islower())
    if white and black and set(white.lower()) != set(black):
        halves = [_move(data.replace(term, promote=half), context) for half in (white, black)]
        return [legacy_logic.bracketed([half[0] for half in halves if half], " or ")]
    names = context.names
    words = ["move"]
    side = "" if not term.promote or (white and black) else "A" if white else "a"
    if term.origin is not None:
        words.append(f"from {_of_side(term.origin, side, names)}")
    if term.target is not None and term.promote_squares is not None:
        words.append(f"to ({atom(term.target, names)} & {atom(term.promote_squares, names)})")
    elif term.target is not None or term.promote_squares is not None:
        words.append(f"to {atom(term.target or term.promote_squares or legacy_designators.ANYTHING, names)}")
    if term.promote:
        words.append(f"promote {legacy_designators.bracketed(term.promote)}")
    if side and term.origin is None:
        words.append(f"from {side}")
    if term.enpassant:
        words.append("enpassant")
    if context.keeps_to_main_line:
        words.append("primary")
    return [" ".join(words)]


def _of_side(origin: Designator, side: str, names: Names) -> str:
    """The origin of a move, limited to the men of one side. If the designator names only men of this side,
    its text is not changed."""
    text = atom(origin, names)
    letters = set(origin.pieces)
    own = bool(letters) and all(c.isupper() if side == "A" else c.islower() for c in letters)
    return text if not side or own else f"({text} & {side})"


def _move_text(term: legacy_nodes.MoveText, context: Context) -> Conjuncts:
    line = " primary" if context.keeps_to_main_line else ""
    return [f"{term.before}move {term.words}{line}"]


def _group(term: legacy_nodes.LegacyGroup, context: Context) -> Conjuncts:
    lists = [conjuncts(one, context) for one in term.lists]
    if term.word == "not":
        (one,) = term.lists
        return legacy_logic.negated(lists[0], transformed=_has_own_brackets(one, lists[0]))
    if term.word in _JOINS:
        return _JOINS[term.word](lists)
    if None in lists:
        return None
    if context.keeps_to_main_line:
        lists[-1] = legacy_logic.joined([["mainline"], lists[-1]])
    gap = "true{*} --> " if term.word == "gappedsequence" else ""
    return ["line " + " ".join(f"--> {gap}{legacy_logic.block(parts)}" for parts in lists)]


_JOINS: Final = {
    "and": legacy_logic.every,
    "or": legacy_logic.some,
    "xor": legacy_logic.one_of,
    "cond": legacy_logic.cases,
}


def _elsewhere(term: legacy_nodes.Elsewhere, context: Context) -> Conjuncts:
    parts = conjuncts(term.listing, context)
    if parts is None:
        return []
    if context.keeps_to_main_line and "position 0" in term.words:
        parts = ["mainline", *parts]
    return [f"{term.words} {legacy_logic.block(parts)}"]


def _relation(term: legacy_nodes.Relation, context: Context) -> Conjuncts:
    position = context.names.fresh("p")
    where = ""
    if term.pattern and context.pattern != legacy_designators.ALL:
        where = f" & {legacy_designators.spelled_squares(context.pattern)}"
    both = f"({position} & currentposition)"

    def men(found: Designator) -> str:
        text = atom(found, context.names)
        plain = Designator(found.pieces) == found and found.pieces in ("Aa", "aA", "")
        return text if plain or not context.transformed else f"notransform {text}"

    was, now = men(term.missing_men), men(term.new_men)
    now = f"({now})" if now.startswith("notransform") else now
    parts = [f"ply>({position}:ply)"]
    parts += [term.where] if term.where else []
    parts += [f"sidetomove{term.side}({position}:sidetomove)"] if term.side else []
    parts.append(f"[Aa] & ({position}:[Aa]){where} in {both}")
    comparisons = [
        term.missing.count(f"#(({position}:{was}) & _{where})"),
        term.new.count(f"#({now} & ({position}:_){where})"),
        term.different.count(f"#(~{both}{where})") if term.different else True,
        term.same.count(f"#({position} & currentposition & [Aa]{where})") if term.same else True,
    ]
    if False in comparisons:
        return None
    parts += [text for text in comparisons if isinstance(text, str)]
    return [f"{position}=currentposition find {{{' '.join(parts)}}}"]


_PRINTERS: Final[dict[type, Callable[..., Conjuncts]]] = {
    legacy_nodes.Plain: _plain,
    legacy_nodes.Always: _always,
    legacy_nodes.AttackCount: _attack_count,
    legacy_nodes.RayCount: _ray_count,
    legacy_nodes.PowerDifference: _power_difference,
    legacy_nodes.PlyCount: _ply_count,
    legacy_nodes.PliesToGo: _plies_to_go,
    legacy_nodes.Move: _move,
    legacy_nodes.MoveText: _move_text,
    legacy_nodes.LegacyGroup: _group,
    legacy_nodes.Elsewhere: _elsewhere,
    legacy_nodes.Relation: _relation,
    legacy_nodes.Sum: _sum,
}


# --- designators ------------------------------------------------------------------------------------------


def atom(found: Designator, names: Names) -> str:
    """A designator as an operand, in brackets if its text has more than one word."""
    text = _spelled(found, names)
    return f"({text})" if " " in text else text


def _alone(found: Designator, context: Context) -> str:
    """A designator as a condition by itself. Unlike `atom`, this function writes no brackets around a tag."""
    return _spelled(found, context.names) if found.tag else atom(found, context.names)


def _spelled(found: Designator, names: Names) -> str:
    if found.tag:
        squares = legacy_designators.spelled(Designator("", found.squares))
        whole = data.replace(found, tag="")
        return (
            f"${found.tag}"
            if whole == legacy_designators.ANYTHING
            else f"${found.tag} & {_spelled(whole, names) if found.shade else squares}"
        )
    text = legacy_designators.spelled(found)
    if found.shade:
        text = f"{found.shade} {text}"
    if found.promoted is None:
        return text
    man = names.fresh("m")
    came = f"(piece {man} in [QRBNqrbn] {{position 0:({man} & [Pp])}})"
    return f"{text} & {came}" if found.promoted else f"{text} & ~{came}"


def _is_single(found: Designator) -> bool:
    """Whether a designator names at most one man or one square."""
    return bool(found.tag) or found.pieces in ("K", "k") or found.reached.bit_count() == 1
