"""Reads the lists `(position ...)` of old scripts. The tables of this module hold the CQL 6 text of the old
keywords.

Every keyword of the dialects has a row in one of the tables below. A keyword without a CQL 6 equivalent is
reported as an error at its place. Reading continues after an error, so that all errors of a list are
reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cqlgui.base import data
from cqlgui.cql.legacy.reading import (
    legacy_boards,
    legacy_designators,
    legacy_facts,
    legacy_nodes,
    legacy_parameters,
    legacy_pawns,
    legacy_ranges,
    legacy_reader,
    legacy_relation,
    legacy_shift,
)
from cqlgui.cql.source import diagnostics

Span = diagnostics.Span
Designator = legacy_designators.Designator
Term = legacy_nodes.Term
PositionList = legacy_nodes.PositionList

DOUBLE_CHECK: Final = "flipcolor {(A attacks k)>=2}"
_CONTACT: Final = (
    "flipcolor {btm check {{(A attacks k)>=2} or [NP] attacks k or (Q & anydirection 1 k)"
    " or (R & orthogonal 1 k) or (B & diagonal 1 k)}}"
)

WORDS: Final = {
    ":wtm": "wtm",
    ":btm": "btm",
    ":check": "check",
    ":nocheck": "not check",
    ":mate": "mate",
    ":stalemate": "stalemate",
    ":initial": "initial",
    ":terminal": "terminal",
    ":final": "terminal",
    ":insidevariation": "variation",
    ":doublecheck": DOUBLE_CHECK,
    ":endgame": (
        "({[Qq]==0 [RBN]<=3 [rbn]<=3} or {Q==1 q==1 [Rr]==0 [BN]<=1 [bn]<=1}"
        " or flipcolor {Q==1 R==0 [BN]<=1 q==0 power [rbn]<=16})"
    ),
    ":blackcannotwin": "(a==1 or {a==2 [bn]==1})",
    ":whitecannotwin": "(A==1 or {A==2 [BN]==1})",
    ":matingmaterial": (
        "not ({[Aa]==2} or {[Aa]==3 [BNbn]==1} or {[Aa]==4 (light [Bb])==2} or {[Aa]==4 (dark [Bb])==2})"
    ),
    ":gameisover": "(mate or stalemate)",
    ":forced": "(countmoves legal --)==1",
}
"""Keywords without parameters, and their CQL 6 text."""

MOVE_GIVES: Final = {
    ":ischeck": "child:check",
    ":ismate": "child:mate",
    ":isstalemate": "child:stalemate",
    ":isdoublecheck": f"child:{DOUBLE_CHECK}",
    ":iscontactcheck": f"child:{_CONTACT}",
}

COUNTS: Final = {":piececount": "", ":power": "power "}
RAYS: Final = {
    ":ray": "ray",
    ":rayorthogonal": "ray orthogonal",
    ":raydiagonal": "ray diagonal",
    ":rayhorizontal": "ray horizontal",
    ":rayvertical": "ray vertical",
    ":rayattack": "ray attack",
}
_GROUPS: Final = (":and", ":or", ":xor", ":cond", ":sequence", ":gappedsequence")

NO_EQUIVALENT: Final = {
    ":halfmoveclock": "",
    ":threefoldrepetition": "",
    ":fivefoldrepetition": "",
    ":evaluation": "needs a chess engine",
    ":moveevaluation": "needs a chess engine",
    ":exchangeevaluation": "needs an evaluation of exchanges",
    ":maxswapevaluation": "needs an evaluation of exchanges",
    ":endgameevaluation": "needs endgame tables",
    ":pawncountdifference": "",
    ":goodbishop": "",
    ":opposition": "",
    ":skip": "",
    ":preceding": "",
    ":following": "",
    ":match": "",
    ":matchconsecutive": "",
    ":isillegal": "",
    ":isinvalid": "",
    ":line*": "",
}
"""Keywords without a CQL 6 equivalent, each with the reason. If the reason is obvious, the string is
empty."""

OTHER_CHESS: Final = (
    ":losing", ":mustcapture", ":captureforced", ":takeslastpiece", ":threechecks", ":checkcount",
    ":kingonthehill", ":piecedrop",
)  # fmt: skip


def read(
    listing: legacy_reader.Listing, problems: legacy_reader.Problems, *, nested: bool = False
) -> PositionList:
    """Read a bracketed list that begins with the word `position`."""
    reader = _Reader(legacy_reader.Items(listing.items, listing.span, 1), listing.span, problems, nested)
    reader.all()
    return reader.built()


class _Reader:
    """Reads the items of one list. `:matchcount` and `:pretransformmatchcount` are not allowed in a `nested`
    list."""

    def __init__(
        self,
        items: legacy_reader.Items,
        span: Span,
        problems: legacy_reader.Problems,
        nested: bool,
    ) -> None:
        self.items = items
        self.problems = problems
        self.nested = nested
        self.terms: list[Term] = []
        self.result = PositionList(span)
        self._keyword = ""
        self._word = legacy_reader.Word(span, "")
        # The index in `terms` of the current move filter, or None. Later keywords of the list may add parts
        # to this filter.
        self._move_at: int | None = None
        self._bare_cut: legacy_reader.Word | None = None

    def all(self) -> None:
        """Read up to the end of the list."""
        for item in self.items:
            if isinstance(item, legacy_reader.Word):
                if item.is_keyword:
                    self.keyword(item)
                elif (found := legacy_parameters.designator(item, self.problems)) is not None:
                    self.terms.append(legacy_nodes.Plain((found,)))
            else:
                what = "list" if isinstance(item, legacy_reader.Listing) else "string"
                self.problems.error(item.span, f"no {what} was expected here")
        if self._bare_cut is not None and self.result.match_count is not None:
            legacy_parameters.no_equivalent(self._bare_cut, self.problems, ":cut with :matchcount")

    def built(self) -> PositionList:
        return data.replace(self.result, terms=tuple(self.terms))

    def keyword(self, word: legacy_reader.Word) -> None:
        """Read the parameters of `word`, a keyword that was just taken, and add the condition of the
        keyword."""
        self._word = word
        if word.text.startswith("!"):
            self._negated(word)
            return
        name = self._keyword = word.text
        if name in WORDS:
            self.terms.append(legacy_nodes.Plain((WORDS[name],)))
            if name == ":initial":
                self._set(initial=True)
        elif name in MOVE_GIVES:
            self.terms.append(legacy_nodes.Plain((MOVE_GIVES[name],)))
        elif name in _READERS:
            _READERS[name](self)
        elif name in legacy_facts.POSITION:
            text = legacy_facts.read(word, self.items, self.problems)
            self.terms += [] if text is True else [_text(text)]
        elif name in NO_EQUIVALENT:
            legacy_parameters.no_equivalent(word, self.problems, name, NO_EQUIVALENT[name])
            self.items.skip()
        elif name in OTHER_CHESS:
            self.problems.warning(
                word.span, f"{name} belongs to another kind of chess; it never holds in normal chess"
            )
            self.terms.append(legacy_nodes.Always(False))
            self.items.skip()
        else:
            legacy_parameters.unknown(word, self.problems, name)
            self.items.skip()

    def _negated(self, word: legacy_reader.Word) -> None:
        plain = legacy_reader.Word(Span(word.span.offset + 1, word.span.length - 1), word.text[1:])
        if plain.text == ":enpassant":
            self.terms.append(legacy_nodes.MoveText("not ", "enpassant"))
            return
        if plain.text in MOVE_GIVES:
            self.terms.append(legacy_nodes.Plain((f"child not {MOVE_GIVES[plain.text]}",)))
            return
        inner = _Reader(self.items, word.span, self.problems, True)
        inner.keyword(plain)
        built = inner.built()
        if built != PositionList(word.span, built.terms, initial=built.initial):
            self.problems.error(word.span, f"! cannot stand before {plain.text}")
        else:
            self.terms.append(legacy_nodes.LegacyGroup("not", (built,)))

    # --- parameters ---------------------------------------------------------------------------------------

    def _designator(self) -> Designator | None:
        return legacy_parameters.take_designator(self.items, self.problems, self._keyword)

    def _range(self) -> legacy_ranges.Range | None:
        return legacy_parameters.take_range(self.items, self.problems, self._keyword)

    def _list(self) -> PositionList | None:
        listing = self.items.listing("position")
        if listing is None:
            self.problems.error(self.items.place, f"(position …) expected after {self._keyword}")
            if self.items.listing() is not None:
                self.items.take()
            return None
        self.items.take()
        return self._adopted(listing)

    def _adopted(self, listing: legacy_reader.Listing) -> PositionList:
        """Read a nested list. A keyword about variations in the nested list also applies to the enclosing
        list, unless the enclosing list already has such a keyword."""
        found = read(listing, self.problems, nested=True)
        if found.line and not self.result.line:
            self._set(line=found.line)
        return found

    def _name(self) -> str:
        item = self.items.peek()
        if isinstance(item, legacy_reader.Word) and not item.is_keyword:
            self.items.take()
            return item.text
        self.problems.error(self.items.place, f"name expected after {self._keyword}")
        return ""

    def _set(self, **changes: object) -> None:
        self.result = data.replace(self.result, **changes)  # type: ignore[arg-type]  # by field name

    def _plain(self, *parts: legacy_nodes.Part, if_empty: bool = False) -> None:
        self.terms.append(legacy_nodes.Plain(parts, if_empty))

    def _compared(self, before: tuple[legacy_nodes.Part, ...], found: legacy_ranges.Range) -> None:
        """Add the condition that a count is in a range. The count over an empty set is 0."""
        mark = "\0"
        text = found.count(mark)
        if isinstance(text, bool):
            self.terms += [] if text else [legacy_nodes.Always(False)]
            return
        start, _, end = text.partition(mark)
        self._plain(*([start] if start else []), *before, end, if_empty=found.holds(0))

    # --- counting -----------------------------------------------------------------------------------------

    def count(self) -> None:
        """`:piececount D r`, `:power D r`."""
        keyword = self._keyword
        found, limits = self._designator(), self._range()
        if found is not None and limits is not None:
            words = COUNTS[keyword]
            self._compared((*([words] if words else []), found), limits)

    def power_difference(self) -> None:
        """`:powerdifference D r`: the power of White's men of D minus the power of Black's men of D.
        `:powerdifference D1 D2 r`: the power of D1 minus the power of D2."""
        first = self._designator()
        second: Designator | None = None
        word = self.items.word()
        if word is not None and legacy_ranges.take(legacy_reader.Items((word,), word.span)) is None:
            second = self._designator()
            if second is None:
                first = None
        limits = self._range()
        if first is None or limits is None:
            return
        if second is None:
            letters = first.pieces or "Aa"
            white = "".join(c for c in letters if c.isupper())
            black = "".join(c for c in letters if c.islower())
            if first.tag:
                self.problems.error(self._word.span, "a tag cannot be split into white and black men")
                return
            second = data.replace(first, pieces=black) if black else legacy_designators.NONE
            first = data.replace(first, pieces=white) if white else legacy_designators.NONE
        self.terms.append(legacy_nodes.PowerDifference(first, second, limits))

    def attack_count(self) -> None:
        first = self._designator()
        second = self._designator() if first is not None or self.items.word() is not None else None
        limits = self._range()
        if first is not None and second is not None and limits is not None:
            self.terms.append(legacy_nodes.AttackCount(first, second, limits))

    def ray(self) -> None:
        """`:ray (D1 ... Dn) r?` and the other keywords of `RAYS`."""
        words = RAYS[self._keyword]
        listing = self.items.listing()
        if listing is None:
            self.problems.error(self.items.place, f"list of piece designators expected after {self._keyword}")
            self.items.skip()
            return
        self.items.take()
        along = []
        for item in listing.items:
            if isinstance(item, legacy_reader.Word) and not item.is_keyword:
                along.append(legacy_parameters.designator(item, self.problems))
            else:
                self.problems.error(item.span, "piece designator expected here")
                along.append(None)
        limits = legacy_ranges.take(self.items) or legacy_ranges.Range(1, None)
        if len(listing.items) < 2:
            self.problems.error(listing.span, "a ray has two designators at least")
            return
        known = tuple(one for one in along if one is not None)
        if len(known) == len(along):
            self.terms.append(legacy_nodes.RayCount(words, known, limits))

    def pawn_count(self) -> None:
        legacy_pawns.read(self._word, self.items, self.problems, self.terms)

    # --- place in the game --------------------------------------------------------------------------------

    def move_number(self) -> None:
        from_end = legacy_ranges.take_from_end(self.items)
        if from_end is not None:
            if from_end.distance:
                legacy_parameters.no_equivalent(
                    self._word, self.problems, f"{self._keyword} end-{from_end.distance}"
                )
            else:
                self._plain("terminal")
            return
        limits = self._range()
        if limits is not None:
            self._compared(("movenumber",), limits)

    def half_move_number(self) -> None:
        from_end = legacy_ranges.take_from_end(self.items)
        if from_end is not None:
            self.terms.append(
                legacy_nodes.PliesToGo(from_end.distance)
                if from_end.distance
                else legacy_nodes.Plain(("terminal",))
            )
            return
        limits = self._range()
        if limits is not None:
            self.terms.append(legacy_nodes.PlyCount(limits))

    def fen(self) -> None:
        item = self.items.peek()
        if not isinstance(item, legacy_reader.Quoted):
            self.problems.error(self.items.place, f"string with a position expected after {self._keyword}")
            return
        self.items.take()
        text = legacy_boards.fen(item, self.problems)
        if text:
            self._plain(text)

    def castling(self) -> None:
        """`:castling D`: each letter in D stands for a castling right. With one letter, this castling right
        must exist. With several letters, exactly one of these castling rights must exist."""
        word = self.items.word()
        letters = word.text.strip("[]") if word is not None else ""
        if word is None or not letters or set(letters) - set("KQkq"):
            self.problems.error(self.items.place, f"letters of KQkq expected after {self._keyword}")
            if word is not None:
                self.items.take()
            return
        self.items.take()
        rights = [f'fen ~~ " [wb] [^ ]*{letter}"' for letter in dict.fromkeys(letters)]
        if len(rights) == 1:
            self._plain(rights[0])
        else:
            self._plain("+".join(f"(if {{{right}}} 1 else 0)" for right in rights) + "==1")

    def contact_check(self) -> None:
        if self.items.word() is None:
            self._plain(_CONTACT)
            return
        found = self._designator()
        if found is None:
            return
        men = found.pieces
        if found.tag or found.promoted is not None or not men or "_" in men:
            legacy_parameters.no_equivalent(
                self._word, self.problems, f"{self._keyword} with this designator"
            )
            return
        sides = [
            _contact(found, "".join(c for c in men if c.isupper()), False),
            _contact(found, "".join(c for c in men if c.islower()), True),
        ]
        texts = [side for side in sides if side is not None]
        if len(texts) == 1:
            self._plain(*texts[0])
        else:
            self._plain("(", *texts[0], " or ", *texts[1], ")")

    # --- moves --------------------------------------------------------------------------------------------

    def move_from(self) -> None:
        found = self._designator()
        if found is not None:
            self._move(origin=found)

    def move_to(self) -> None:
        found = self._designator()
        if found is not None:
            self._move(target=found)

    def promote(self) -> None:
        found = self._designator()
        if found is None:
            return
        if not found.squares:
            self.terms.append(legacy_nodes.MoveText("not ", "promote [Aa]"))
            return
        letters = found.pieces or "Aa"
        if found.tag or found.promoted is not None or "_" in letters:
            self.problems.error(self._word.span, f"letters of pieces expected after {self._keyword}")
            return
        squares = Designator("", found.squares, found.shade)
        self._move(promote=letters, promote_squares=None if squares == Designator() else squares)

    def en_passant(self) -> None:
        self._move(enpassant=True)

    def no_en_passant(self) -> None:
        self.terms.append(legacy_nodes.MoveText("not ", "enpassant"))

    def castles(self) -> None:
        """`:iscastling`; the letters `K Q k q` limit the castling to certain sides and colours."""
        word = self.items.word()
        if word is None or set(word.text) - set("[]KQkq") or not set(word.text) - set("[]"):
            self.terms.append(legacy_nodes.MoveText("", "castle"))
            return
        self.items.take()
        letters = set(word.text) & set("KQkq")
        if letters == set("KQkq"):
            self.terms.append(legacy_nodes.MoveText("", "castle"))
            return
        ways = []
        for way, letter in (("o-o", "k"), ("o-o-o", "q")):
            white, black = letter.upper() in letters, letter in letters
            if white or black:
                ways.append(
                    legacy_nodes.MoveText("" if white and black else "wtm " if white else "btm ", way)
                )
        if len(ways) == 1:
            self.terms.append(ways[0])
        else:
            lists = tuple(PositionList(word.span, (way,)) for way in ways)
            self.terms.append(legacy_nodes.LegacyGroup("or", lists))

    def null_move(self) -> None:
        self.terms.append(legacy_nodes.MoveText("", "null"))

    def long_line(self) -> None:
        item = self.items.peek()
        if not isinstance(item, legacy_reader.Quoted):
            self.problems.error(self.items.place, f"string with moves expected after {self._keyword}")
            return
        self.items.take()
        found = legacy_boards.long_line(self._word, item, self.problems)
        if found is not None:
            self.terms.append(found)

    def _move(
        self,
        origin: Designator | None = None,
        target: Designator | None = None,
        promote: str = "",
        promote_squares: Designator | None = None,
        enpassant: bool = False,
    ) -> None:
        """Add a part to the move filter of the list. If the filter has this part already, begin another
        filter."""
        if self._move_at is not None:
            before = self.terms[self._move_at]
            assert isinstance(before, legacy_nodes.Move)
            clash = (
                (origin and before.origin)
                or (target and before.target)
                or (promote and before.promote)
                or (enpassant and before.enpassant)
            )
            if not clash:
                self.terms[self._move_at] = legacy_nodes.Move(
                    origin or before.origin,
                    target or before.target,
                    promote or before.promote,
                    promote_squares or before.promote_squares,
                    enpassant or before.enpassant,
                )
                return
        self._move_at = len(self.terms)
        self.terms.append(legacy_nodes.Move(origin, target, promote, promote_squares, enpassant))

    # --- lists in lists -----------------------------------------------------------------------------------

    def negate(self) -> None:
        if self.items.listing("position") is None:
            self._set(negated=True)
        elif (found := self._list()) is not None:
            self.terms.append(legacy_nodes.LegacyGroup("not", (found,)))

    def group(self) -> None:
        """`:and (P1 P2 ...)` and the other keywords of `_GROUPS`."""
        keyword = self._keyword
        listing = self.items.listing()
        if listing is None:
            self.problems.error(self.items.place, f"list of position lists expected after {keyword}")
            return
        self.items.take()
        inner = (listing,) if listing.head == "position" else listing.items
        found = []
        for item in inner:
            if isinstance(item, legacy_reader.Listing) and item.head == "position":
                found.append(self._adopted(item))
            else:
                self.problems.error(item.span, "(position …) expected here")
        if not inner:
            self.problems.error(listing.span, f"(position …) expected after {keyword}")
        elif keyword == ":cond" and len(inner) == 1:
            self.problems.error(listing.span, ":cond needs two lists at least")
        elif found:
            self.terms.append(legacy_nodes.LegacyGroup(keyword[1:], tuple(found)))

    def exclude(self) -> None:
        found = self._list()
        if found is not None:
            self.terms.append(legacy_nodes.Elsewhere("not position 0:find", found))

    def cut(self) -> None:
        """`:cut (P)`: positions after the first position where P holds do not count. A `:cut` without a list
        ends the search in the current game after a match. This changes only the number of matches. Therefore
        a `:cut` without a list is ignored if there is no `:matchcount`."""
        if self.items.listing("position") is None:
            self._bare_cut = self._word
            return
        found = self._list()
        if found is not None:
            self.terms.append(legacy_nodes.Elsewhere("not parent:find <--", found))

    def relation(self) -> None:
        found = legacy_relation.read(self._word, self.items, self.problems)
        if found is not None:
            self.terms.append(found)

    def inside(self) -> None:
        """`:inside D SQ`: a man of D is on a square of SQ. Transforms change D, but do not change SQ."""
        men, squares = self._designator(), self._designator()
        if men is not None and squares is not None:
            self._plain(men, " & notransform ", legacy_nodes.Fixed(squares))

    def tag_match(self) -> None:
        """`:tagmatch name D`: the man with the tag `name` is a man of D."""
        place = self.items.place
        name = self._name().removeprefix("$")
        found = self._designator()
        if name and found is not None:
            self.problems.tags.append((place, name))
            self._plain(Designator(tag=name), " & ", found)

    # --- the list as a whole ------------------------------------------------------------------------------

    def colour(self) -> None:
        self._set(colour=True)

    def flip(self) -> None:
        self._set(flips=(*self.result.flips, self._keyword))

    def shift(self) -> None:
        self._set(shifts=(*self.result.shifts, self._keyword), shift_span=self._word.span)

    def variations(self) -> None:
        self._set(line=self._keyword)

    def mark_all(self) -> None:
        """`:markall` only changes the annotation of matches, so the translation leaves `:markall` out."""

    def no_annotation(self) -> None:
        self._set(silent=True)

    def repetitions(self) -> None:
        limits = self._range()
        if limits is not None:
            self._set(repetitions=limits)

    def match_count(self) -> None:
        name = "match_count" if self._keyword == ":matchcount" else "transformed_count"
        limits = self._range()
        if self.nested:
            self.problems.error(
                self._word.span, f"{self._keyword} can only stand in a list of the match itself"
            )
        elif limits is not None:
            self._set(**{name: limits})

    def accumulate(self) -> None:
        by_colour = self._keyword.endswith("*")
        name = self._name()
        if name:
            self._set(accumulate=name, by_colour=by_colour)

    def sum_range(self) -> None:
        name = self._name()
        limits = self._range()
        if name and limits is not None:
            self.terms.append(legacy_nodes.Sum(self._word.span, name, limits))


def _text(text: str | bool) -> Term:
    return legacy_nodes.Always(text) if isinstance(text, bool) else legacy_nodes.Plain((text,))


def _contact(found: Designator, letters: str, black: bool) -> tuple[legacy_nodes.Part, ...] | None:
    """The condition that men of one side give a contact check; None if the designator names no man of that
    side."""
    if not letters:
        return None

    def of(kinds: str) -> Designator | None:
        wanted = kinds.lower() if black else kinds
        common = wanted if letters in "Aa" else "".join(c for c in letters if c in wanted)
        return data.replace(found, pieces=common) if common else None

    king = "K" if black else "k"
    parts: list[legacy_nodes.Part] = ["{wtm check {" if black else "{btm check {", "{("]
    parts += [data.replace(found, pieces=letters), f" attacks {king})>=2}}"]
    if (near := of("NP")) is not None:
        parts += [" or ", near, f" attacks {king}"]
    for kind, way in (("Q", "anydirection"), ("R", "orthogonal"), ("B", "diagonal")):
        if (near := of(kind)) is not None:
            parts += [" or (", near, f" & {way} 1 {king})"]
    return (*parts, "}}")


_READERS: Final[dict[str, Callable[[_Reader], None]]] = {
    **dict.fromkeys(COUNTS, _Reader.count),
    **dict.fromkeys(RAYS, _Reader.ray),
    **dict.fromkeys(_GROUPS, _Reader.group),
    **dict.fromkeys(legacy_shift.FLIPS, _Reader.flip),
    **dict.fromkeys(legacy_shift.VECTORS, _Reader.shift),
    ":flipcolor": _Reader.colour,
    ":powerdifference": _Reader.power_difference,
    ":attackcount": _Reader.attack_count,
    ":pawncount": _Reader.pawn_count,
    ":movenumber": _Reader.move_number,
    ":halfmovenumber": _Reader.half_move_number,
    ":fen": _Reader.fen,
    ":castling": _Reader.castling,
    ":contactcheck": _Reader.contact_check,
    ":movefrom": _Reader.move_from,
    ":moveto": _Reader.move_to,
    ":promote": _Reader.promote,
    ":enpassant": _Reader.en_passant,
    ":noenpassant": _Reader.no_en_passant,
    ":iscastling": _Reader.castles,
    ":isnull": _Reader.null_move,
    ":line": _Reader.long_line,
    ":not": _Reader.negate,
    ":exclude": _Reader.exclude,
    ":cut": _Reader.cut,
    ":relation": _Reader.relation,
    ":inside": _Reader.inside,
    ":tagmatch": _Reader.tag_match,
    ":variations": _Reader.variations,
    ":variationsonly": _Reader.variations,
    ":markall": _Reader.mark_all,
    ":noannotate": _Reader.no_annotation,
    ":repetitioncount": _Reader.repetitions,
    ":matchcount": _Reader.match_count,
    ":pretransformmatchcount": _Reader.match_count,
    ":accumulate": _Reader.accumulate,
    ":accumulate*": _Reader.accumulate,
    ":sumrange": _Reader.sum_range,
}

KEYWORDS: Final = frozenset(WORDS | MOVE_GIVES | _READERS | NO_EQUIVALENT) | set(OTHER_CHESS)
"""The keywords of a position list that this module reads. `legacy_facts.POSITION` has the other keywords."""
