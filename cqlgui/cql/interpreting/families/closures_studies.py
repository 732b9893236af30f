"""Compilers of `hhdb` (spec 14): data of the Heijden study database in tags and comments."""

from __future__ import annotations

from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.cql.ast import nodes_studies
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.families import closures_facts
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation
from cqlgui.cql.source.names import player_name
from cqlgui.cql.vocabulary import study_meanings


@compiles(nodes_studies.Study)
def _study(compiler: Compiler, node: nodes_studies.Study) -> Code:
    key = node.key
    if key in study_meanings.MARKS:
        mark = study_meanings.MARKS[key]
        return _of_game(key, lambda s: mark in _black(s))
    if key in study_meanings.COMMENT_TAGS:
        text = study_meanings.COMMENT_TAGS[key]
        return code(Type.LOGICAL, lambda s: text in (s.host.comment(s.id) or ""))
    if key == "mainline":
        return code(Type.LOGICAL, lambda s: not _leaves_solution(s))
    if key == "variation":
        return code(Type.LOGICAL, _leaves_solution)
    if key in _CONDITIONS:
        return _of_game(key, _CONDITIONS[key])
    if key in study_meanings.GBR_PARTS:
        part = study_meanings.GBR_PARTS[key]

        def gbr(s: Evaluation) -> str | None:
            found = _GBR.search(_black(s))
            return found[0][part] if found else None

        return _of_game(key, gbr, Type.STRING)
    return _of_game(key, _TEXTS[key], Type.NUMERIC if key in study_meanings.NUMBERS else Type.STRING)


def _of_game(key: str, run: Run, kind: Type = Type.LOGICAL) -> Code:
    """A fact about the whole game, computed only once for each game."""
    return code(kind, closures_facts.once_a_game(("hhdb", key), run))


def _black(s: Evaluation) -> str:
    return player_name(s.host.tag("Black")) or ""


def _first_comment(s: Evaluation) -> str | None:
    return s.host.comment(0) or None


# --- conditions ---------------------------------------------------------------------------------------------


def _cooked(s: Evaluation) -> bool:
    return COOK in s.host.text()


COOK: Final = "<cook"
"""The text of a game contains this mark if the study has a cook."""


def _dual(s: Evaluation) -> bool:
    return any(mark in _black(s) for mark in ("U1", "U2"))


def _fails(s: Evaluation) -> bool:
    return any(mark in _black(s) for mark in ("U3", "U4", "U5"))


def _sound(s: Evaluation) -> bool:
    """Whether a study is sound. A study that is marked as failing is not sound. A study is also not sound if
    both a cook and a dual are marked."""
    return not _fails(s) and not (_dual(s) and _cooked(s))


def _unsound(s: Evaluation) -> bool:
    return _dual(s) or _fails(s) or _cooked(s)


_CONDITIONS: Final[dict[str, Run]] = {"cooked": _cooked, "dual": _dual, "sound": _sound, "unsound": _unsound}


TOLD_BY_GAME: Final = study_meanings.ALL - {*study_meanings.COMMENT_TAGS, "mainline", "variation"}
"""The keys of `hhdb` filters that depend on the game as a whole."""


def _leaves_solution(s: Evaluation) -> bool:
    """Whether the current position lies in a variation that is not part of the solution. Such a variation
    starts with a move whose comment does not contain `<main>`."""
    tree, memo, place = s.tree, s.memo, s.id
    passed = []
    answer = False
    while place > 0:
        known = memo.get(("hhdb variation", place))
        if known is not None:
            answer = known
            break
        passed.append(place)
        parent = tree.parents[place]
        if tree.children[parent][0] != place and "<main>" not in (s.host.comment(place) or ""):
            answer = True
            break
        place = parent
    for earlier in passed:
        memo["hhdb variation", earlier] = answer
    return answer


# --- texts and numbers --------------------------------------------------------------------------------------

_GBR = pattern(r"[+\-=]\d{4}\.\d\d[a-h][1-8][a-h][1-8]")
_COMPOSERS = pattern(r"([^.]+)\.")
_DIAGRAM = pattern(r"#([^ ]+)")
_EG_DIAGRAM = pattern(r"EG#([0-9]+)")
_STIPULATION = pattern(r"stipulation: ([^.]+)\.")
_NOBODY: Final = " NN"


def _composer(s: Evaluation) -> str | None:
    if "MC" in _black(s):
        # If a study has several composers, the first comment begins with the names, because the names do not
        # fit into the tag.
        found = _COMPOSERS.match(_first_comment(s) or "")
        return found[1] if found else None
    name = player_name(s.host.tag("White"))
    return name.removesuffix(_NOBODY) if name else None


def _diagram(s: Evaluation) -> str | None:
    found = _DIAGRAM.search(s.host.tag("Event") or "")
    return found[1] if found else None


def _eg_diagram(s: Evaluation) -> int | None:
    found = _EG_DIAGRAM.search(_first_comment(s) or "")
    return int(found[1][:_MOST_DIGITS]) if found else None


_MOST_DIGITS: Final = 9
"""Only this many digits of a number are read. No diagram number in the database is longer."""


def _stipulation(s: Evaluation) -> str | None:
    found = _STIPULATION.search(_first_comment(s) or "")
    return found[1] if found else None


def _search(s: Evaluation) -> str | None:
    event = s.host.tag("Event")
    white = player_name(s.host.tag("White"))
    if not event or not white or not _black(s):
        return None
    return "\n".join(part for part in (event, white, _black(s), _first_comment(s)) if part)


_TEXTS: Final[dict[str, Run]] = {
    "composer": _composer,
    "diagram": _diagram,
    "egdiagram": _eg_diagram,
    "firstcomment": _first_comment,
    "stipulation": _stipulation,
    "search": _search,
}

# --- awards -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Award:
    """The award at the beginning of the Event tag. `low` and `high` are the smallest and the largest rank in
    the award (2 and 3 for `2/3.hm`), or None if the award contains no rank."""

    category: nodes_studies.AwardCategory
    special: bool
    low: int | None
    high: int | None

    def fits(self, category: nodes_studies.AwardCategory, special: bool) -> bool:
        """Whether the award belongs to a category (`award` stands for every category). If `special` is True,
        the award must also be a special award."""
        return category in ("award", self.category) and (self.special or not special)

    def rank(self, highest: bool) -> int:
        """The smallest rank number of the award (`low`). With `highest`, the largest rank number (`high`) is
        returned. For an award without a rank, these two numbers are 1 and `NO_RANK`."""
        rank = self.high if highest else self.low
        return rank or (NO_RANK if highest else 1)


NO_RANK: Final = 10_000
"""`Award.rank` returns this number as the largest rank of an award without a rank. The reference program uses
the same number."""

_AWARD = pattern(r"(?:([0-9]{1,9})(?:/([0-9]{1,9}))?(\.sp)?|(sp)?)\.(p|hm|c)")
_CATEGORY: Final[dict[str, nodes_studies.AwardCategory]] = {"p": "prize", "hm": "hm", "c": "commendation"}


def award_of(event: str) -> Award | None:
    """The award at the beginning of an Event tag: `1.p`, `2/3.hm`, `1.sp.c`, `sp.p`. The result is None if
    the tag does not begin with an award."""
    found = _AWARD.match(event)
    if found is None:
        return None
    low = int(found[1]) if found[1] else None
    high = int(found[2]) if found[2] else low
    if low == 0 or (found[2] and low is not None and high is not None and high <= low):
        return None
    return Award(_CATEGORY[found[5]], bool(found[3] or found[4]), low, high)


_award = closures_facts.once_a_game("hhdb award", lambda s: award_of(s.host.tag("Event") or ""))


@compiles(nodes_studies.StudyAward)
def _study_award(compiler: Compiler, node: nodes_studies.StudyAward) -> Code:
    category, special, highest = node.category, node.special, node.max

    def test(s: Evaluation) -> bool:
        found: Award | None = _award(s)
        return found is not None and found.fits(category, special)

    def value(s: Evaluation) -> int | None:
        found: Award | None = _award(s)
        # The ranks of special awards and the ranks of ordinary awards cannot be compared.
        if found is None or not found.fits(category, special) or found.special != special:
            return None
        return found.rank(highest)

    return code(Type.NUMERIC, value, test=test, apart=True)


_PLACES: Final = {"prize": 1, "hm": 3, "commendation": 5}


@compiles(nodes_studies.StudySort)
def _study_sort(compiler: Compiler, node: nodes_studies.StudySort) -> Code:
    category, special = node.category, node.special
    keys = [compiler.quiet_ascending_key(doc) for doc in ("cql_category", "cql_truerank", "cql_maxrank")]

    def sort(s: Evaluation) -> bool:
        found: Award | None = _award(s)
        if found is None or not found.fits(category, special):
            return False
        ranks = (_PLACES[found.category] + found.special, found.rank(False), found.rank(True))
        for key, rank in zip(keys, ranks, strict=True):
            best = s.best[key]
            if best is None or (isinstance(best, int) and rank < best):
                s.best[key] = rank
        return True

    return code(Type.LOGICAL, sort)
