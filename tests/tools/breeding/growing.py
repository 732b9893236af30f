"""Grows query texts from templates: each filter is one of its type's templates, with others in its holes.

A hole is `$` and the letter of a type (`KINDS`), with `!` where only braces may stand around what fills it, as in a
path. `@xS` is a new variable of a type, known behind the next hole of its template, `@x:S` one that is known at
once; `@x` names either again. `$K` is a new number.
Where a hole has no room for more, one of the plain texts of its type fills it.
"""

# ruff: noqa: E501

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from random import Random

from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer
from cqlgui.cql.vocabulary import registry
from tests.helpers import crossing

KINDS = {
    "S": "set", "N": "number", "T": "string", "P": "position", "L": "condition", "C": "part of a path",
    "A": "parameter of a path", "B": "parameter of a line", "R": "range", "U": "direction", "X": "transform",
    "D": "designator", "E": "regular expression", "W": "wildcard",
    "H": "example of the registry",
}  # fmt: skip

PLAIN: dict[str, tuple[str, ...]] = {
    "D": (
        "K", "k", "Q", "q", "R", "r", "B", "b", "N", "n", "P", "p", "A", "a", "_", ".", "[Aa]", "[QR]", "[nb]", "Ra1",
        "Pe2-4", "pa-h7", "[Pp]d-e4-5", "k[e8,g8]", "Na-h1-4", "ne4", "a-h5-8", "e4", "[KkQq]", "♘", "▲",
        "ka-h6-8",
    ),
    "S": ("A", "a", "K", "N", "[QqRr]", "P", "p", "Pd-e4-5", "a-h5-8", ".", "_", "from", "to", "[]", "Ka-h1-2"),
    "N": ("0", "1", "2", "3", "8", "ply", "movenumber", "depth", "positionid", "year", "elo white", "power A",
          "elo black", "gamenumber", "pathcount", "lastgamenumber", "sidetomove", "elo",
          "pathcountunfocused"),
    "T": ('"a"', '"e4"', '""', '"Kan, I"', "player white", "player black", "event", "site", "eco", "date",
          "eventdate", "fen", "originalcomment", 'tag "White"', 'tag "Annotator"', "player", "currenttransform"),
    "P": ("currentposition", "parent", "child", "initialposition", "child(1)", "position 4", "∙", "pathstart",
          "pathlastposition", "curpos"),
    "L": ("check", "mate", "stalemate", "wtm", "btm", "true", "false", "initial", "terminal", "mainline",
          "variation", "primary", "secondary", "o-o", "o-o-o", "castle", "enpassant", "nullmove", "hascomment",
          "virtualmainline", "result 1-0", "puremate", "idealmate", "modelmate", "purestalemate",
          "idealstalemate", "modelstalemate"),
    "C": ("--", "[x]", "-- check", "N--", "--=Q", "-- +", "--{1,3}"),
    "A": ("", "", "", "1 9", "primary", "firstmatch", "nestban", "keepallbest", "quiet", "verbose",
          'title "a title"', "singlecolor piecepath"),
    "B": ("", "", "primary", "secondary", "singlecolor", "nestban", "firstmatch", "quiet", "1 5"),
    "R": ("1 3", "2", "0 9", "1 100"),
    "E": ('"e"', '"^[A-M]"', '"(.)"', '"[0-9]+"', '"x?y*"', '"a|e"'),
    "W": ("*", "+", "?", "{2}", "{,2}", "{1,3}", "{*}", "{+}"),
    "U": tuple(sorted(row.name for row in registry.ROWS if row.kind == "direction")),
    "X": tuple(sorted(row.name for row in registry.ROWS if row.kind == "transform" and row.name != "rotate45")),
}  # fmt: skip
"""Texts without holes, for each type."""

GROWN: dict[str, tuple[str, ...]] = {
    "S": (
        "$D", "$D", "$D", "$S | $S", "$S & $S", "~$S", "$S attacks $S", "$S attackedby $S", "$S -> $S", "$S <- $S",
        "$U $S", "$U 1 2 $S", "between ($S $S)", "ray ($S $S)", "ray $U ($S $S $S)", "ray attack ($S $S)",
        "xray ($S $S)", "light $S", "dark $S", "square @xS in $S {$L}", "piece @xS in $S {$L}", "@xS[element]$S {$L}",
        "legal --", "legal $S!--$S!", "pseudolegal $S!--", "legal --(castle)", "move from $S", "move to $S",
        "move capture $S", "--(to)", "$S!--$S!(from)",
        "passedpawns", "isolatedpawns", "doubledpawns", "connectedpawns", "pin", "pin from $S",
        "pin through $S to $S", "enpassantsquare", "if $L $S else $S", "{$L $S}", "$P:$S", "notransform $S",
        "$X $S", "currentmove --(to)", "{@xS = $S @x}", "makesquare ($N $N)",
    ),
    "N": (
        "#$S", "#$S", "power $S", "abs $N", "max ($N $N)", "min ($N $N)", "sqrt $N", "$N + $N", "$N - $N", "$N * $N",
        "$N / $N", "$N % $N", "-$N", "find all $L", "find count $L", "$X count $L", "countmoves --",
        "countmoves legal $S!--", "countmoves $S![x]$S!", "countmoves pseudolegal --$S!", "distance ($P $P)",
        "rank $S", "file $S", "colortype $S", "pieceid $S", "type $S", "pgn clk", "pgn eval", "pgn eval black", "{path $A $C $C}", "{path $A $C $C $C}", "{path max $N! $A $C $C}",
        "{path focus $S! $C $C}", "{line $B --> $L! --> $L!}", "indexof ($T $T)", "#$T", 'int "12"', "ascii $T",
        "if $L $N else $N", "$P:$N", '(sort "number $K" $N)', "echo (@x:P @y:P) $N",
        "{@xN = $N @x}",
    ),
    "T": (
        "str ($N)", "str ($S $T)", "uppercase $T", "lowercase $T", "$T + $T", "typename $S", "piecename $S", "$T[0]",
        "$T[1:2]", "if $L $T else $T", "$P:$T", "max ($T $T)", "min ($T $T)", "hhdb composer", "\\1",
        'tag "ECO"', "str (not $L)",
    ),
    "P": ("find $L", "find <-- $L", "lca ($P $P)", "$P:$P", "position $N", "child ($N)", "{@xP = $P @x}",
          "{path lastposition $C $C}", "{line lastposition --> $L! --> $L!}", "if $L $P else $P"),
    "L": (
        "$S", "$S", "$S", "$S >= $N", "$N > $N", "$N < $N", "$N <= $N", "$N >= $N", "$N == $N", "$N != $N", "$S == $S",
        "$S != $S", "$T == $T", "$T != $T", "$T < $T", "$T ~~ $E", "$T in $T", "$S in $S", "$P == $P", "not $L",
        "$L and $L", "$L or $L", "find $L", "find <-- $L", "find $R $L", "find quiet $L", "find all quiet $L > 1",
        "if $L $L", "if $L then $L else $L", "{$L $L}", "{$L $L $L}", "$X $L", "$X $L", "$X $R $L", "$P:$L", "$P:$L",
        "echo (@x:P @y:P) {$L}", "echo quiet (@x:P @y:P) in all {$L}", "try $L", "assert (true or $L)",
        "@xS = $S isbound @x", "@xN = $N unbind @x isunbound @x", "comment ($T $S)", "comment $N",
        "message ($T)", "{/// $T $N\n $L}", 'sort "set $K" $S >= 0', 'sort min "least $K" $N >= 0',
        'sort max "most $K" $N >= 0', 'sort quiet "text $K" $T == $T', "ancestor ($P $P)", "descendant ($P $P)",
        "$P [<] $P", "$P [<=] $P", "$P [>] $P", "$P [>=] $P", 'settag ("Theme" $T)', "removecomment", "--",
        "$S!--$S!", "$S![x]$S!", "--($L)", "$S!--($L $L)", "--=Q", "--=[RN]", "--=\"RN\"", "--=.", "$S!--=A", "[x]$S!",
        "currentmove $S!--$S!", "currentmove [x]($L)", "move from $S to $S", "move promote Q", "move castle",
        "move enpassant", "move o-o", "move o-o-o", "move previous from $S", "move null", "move capture $S",
        "move primary to $S", "move secondary", "move legal castle", 'move comment ("moved")',
        "{@xN = 0 while (@x < 3) {@x += 1 $L}}", "{@xN = 0 loop {@x < 3 @x += 1} @x == 3}",
        "{while ($T ~~ $E) {true or $L}}", "{@xN = $N @x -= 1 @x *= 2 @x /= 2 @x %= 5 @x > $N}",
        "{@xS = $S @x &= $S @x |= $S @x attacks $S}", "{@xS =? $S isbound @x $L}", "{piece @xS = $S @x attacks $S}", "move legal from $S",
        "move pseudolegal to $S",
        "{persistent @xN += 1 @x > $N}", "{persistent quiet @xN += 1 @x > $N}", "{atomic @xN = 0 path ($C {@x += 1})+ $C}",
        '{dictionary D$K D$K["a"] = $N D$K["a"] > $N}', '{local dictionary D$K D$K[$T] = $S #D$K > 0 @kT[element]D$K {@k == $T}}',
        "{function fun$K (@x:S) {@x attacks $S} fun$K($S)}", "{function fun$K (@x:N @y:N) {@x + @y > $N} fun$K($N $N)}",
        "{function fun$K (@x:P) {@x:$L} fun$K($P)}", "@xS[element]$S {$L}", "@xS[element]$S $L",
        "square @xS in $S {$L}", "square all @xS in $S {$L}", "piece all @xS in $S {$L}", "piece @xS in $S {$L}", "@xS = $S $L",
        "{path $A $C $C}", "{path $A $C $C $C}", "{path max ($N) $C $C}", "{path focus $S! $A $C $C}",
        "{path focus capture $S! $C $C}", "{path singlecolor $C $C}", "{path ($L!) $C}", "{path $L! $C $C}",
        "{path 2 9 quiet $C $C}", "{path focus $S! piecepath $C $C}", "{path $C $C\n\npathcount > $N}",
        "{line $B --> $L! --> $L!}", "{line $B --> $L! {*} --> $L!}", "{line <-- $L! <-- $L!}",
        "{line $B --> ($L! --> $L!) {1,2} --> $L!}", "{line $B --> {move from $S} --> $L!}", "$T == $T",
        'player white "a"', 'event "e"', 'site "a"', 'originalcomment "a"', "result 1/2-1/2", "result 0-1",
        'eco "B"', 'tag "Event" ~~ $E', "elo > $N", "year != $N", 'date < "1990"', "gamenumber > $N",
        "echo (@x:P @y:P) {consecutivemoves (@x @y) >= $N}", "reversecolor $L", "hhdb version", "rotate45 {$L}",
        "flipcolor {$L $L}", "$X $X {$S $S}", "ray $U $R ($S $S)", "connectedpawns", "legal -- == $N", "$S [x] $S",
        "/* a remark */ $L", "{// a remark\n$L}",
    ),
    "C": (
        "$S!--", "--$S!", "$S!--$S!", "$S![x]$S!", "-- $L!", "[x] $L!", "$L!", "-- $W", "$S!--$S! $W", "($C $C)",
        "($C $C) $W", "($L! $C) {1,2}", "(-- ?) {1,3}", "($L!)", "--=Q $L!", "--($L)", "currentmove --$S!", "-- $L! +",
    ),
    "A": ("quiet $R", "firstmatch quiet", "max $N!", "primary quiet", "nestban $R"),
    "B": ("quiet $R",),
    "X": ("$X $X", "shift", "flipcolor"),
    "E": ("$E",), "R": ("$R",), "U": ("$U",), "D": ("$D",), "W": ("$W",),
}  # fmt: skip

HEADERS = (
    "cql()", "cql()", "cql(variations)", "cql(variations)", "cql(variations quiet)", "cql(matchcount 1 4)",
    "cql(variations matchcount 2 20)", "cql(gamenumber 1 30)", "cql(result 1-0)", 'cql(matchstring "HIT")',
    "cql(sort matchcount 1 9)", "cql(silent)",
)  # fmt: skip

_HOLE = re.compile(r"\$([A-Z])(!?)|@([a-z])(?:(:?)([SNTP]))?")


@dataclasses.dataclass(frozen=True)
class Tree:
    """A filter: the pieces of its text, of which some are filters again."""

    kind: str
    parts: tuple[str | Tree, ...]
    braces: bool = False

    def text(self) -> str:
        """The filter alone."""
        return "".join(one if isinstance(one, str) else one.within() for one in self.parts)

    def within(self) -> str:
        """The filter as it stands in others."""
        found = self.text()
        if self.kind not in "SNTPLD" or not re.search(r"\W", found) or _is_closed(found):
            return found
        # A lone number in braces is a repetition.
        if not self.braces and self.kind not in "L" and "\n" not in found:
            return f"({found})"
        return f"{{ {found} }}"


def _is_closed(text: str) -> bool:
    """Whether nothing beside a text can become a part of it."""
    return text[0] == text[-1] == '"' and text.count('"') == 2


class Grower:
    """Grows bodies; the same numbers come from one source."""

    def __init__(self, source: Random) -> None:
        self._source = source
        self._names: list[tuple[str, str]] = []
        self._count = 0
        self._room = 0
        self._examples: list[str] = []
        """Examples that did not come up since all of them had."""

    def query(self) -> Query:
        """A whole query."""
        source = self._source
        self._names, self._count = [], 0
        lines = []
        for _ in range(source.choice((0, 0, 1, 2))):
            kind = source.choice("SSNT")
            self._room = 5
            value = self.tree(kind, 2)
            name = f"v{self._number()}"
            self._names.append((name, kind))
            lines.append(Tree("body", (f"{name} = ", value)))
        for _ in range(source.choice((1, 1, 2, 3))):
            self._room = source.choice((3, 6, 12, 20))
            kind = source.choice("LLLLLLSNTP")
            filled = self.tree(kind, source.randint(1, 5))
            lines.append(filled if kind == "L" else Tree("body", ("{ ", filled, " }")))
        return Query(source.choice(HEADERS), tuple(lines))

    def tree(self, kind: str, depth: int, braces: bool = False) -> Tree:
        """A filter of a type, at most so many levels deep."""
        source = self._source
        self._room -= 1
        known = [name for name, own in self._names if own == kind]
        if known and source.random() < 0.3:
            return Tree(kind, (source.choice(known),), braces)
        if kind == "H" or (kind == "L" and source.random() < 0.18):
            if not self._examples:
                self._examples = [*known_parts()["H"]]
                source.shuffle(self._examples)
            return Tree("H", (self._examples.pop(),))
        if depth <= 0 or self._room <= 0 or source.random() < 0.15:
            return Tree(kind, (source.choice(PLAIN[kind]),), braces)
        if source.random() < 0.08 and (texts := known_parts().get(kind)):
            return Tree(kind, (source.choice(texts),), braces)
        return self._filled(kind, source.choice(GROWN[kind]), depth, braces)

    def _filled(self, kind: str, template: str, depth: int, braces: bool) -> Tree:
        before = len(self._names)
        own: dict[str, str] = {}
        waiting: list[tuple[str, str]] = []
        number = str(self._number())
        template = template.replace("$K", number)
        parts: list[str | Tree] = []
        place = 0
        for hole in _HOLE.finditer(template):
            parts.append(template[place : hole.start()])
            place = hole.end()
            if hole[1]:
                parts.append(self.tree(hole[1], depth - 1, bool(hole[2])))
                self._names += waiting
                waiting.clear()
            else:
                if hole[3] not in own:
                    own[hole[3]] = f"v{self._number()}"
                    (self._names if hole[4] else waiting).append((own[hole[3]], hole[5]))
                parts.append(own[hole[3]])
        parts.append(template[place:])
        del self._names[before:]
        return Tree(kind, tuple(one for one in parts if one != ""), braces)

    def _number(self) -> int:
        self._count += 1
        return self._count


@dataclasses.dataclass(frozen=True)
class Query:
    """A query, whose lines are filters."""

    header: str
    lines: tuple[Tree, ...]

    def text(self) -> str:
        """The query as it is searched for; a blank line ends whatever stands before it."""
        return "\n\n".join([self.header, *(line.text() for line in self.lines)]) + "\n"

    def smaller(self) -> Iterator[Query]:
        """Queries that lack a part of this one, the largest parts first."""
        for header in ("cql()", "cql(variations)"):
            if len(header) < len(self.header):
                yield Query(header, self.lines)
        for place in range(len(self.lines)):
            if len(self.lines) > 1:
                yield Query(self.header, self.lines[:place] + self.lines[place + 1 :])
        for place, line in enumerate(self.lines):
            for less in _less(line):
                yield Query(self.header, (*self.lines[:place], less, *self.lines[place + 1 :]))


def _less(tree: Tree) -> Iterator[Tree]:
    inner = [one for one in tree.parts if isinstance(one, Tree)]
    for one in inner:
        if one.kind == tree.kind or (tree.kind == "body" and one.kind == "L"):
            yield dataclasses.replace(one, braces=tree.braces)
    if inner and tree.kind in PLAIN:
        yield Tree(tree.kind, (PLAIN[tree.kind][0],), tree.braces)
    for place, one in enumerate(tree.parts):
        if isinstance(one, Tree):
            for less in _less(one):
                yield dataclasses.replace(tree, parts=(*tree.parts[:place], less, *tree.parts[place + 1 :]))


def transformed(word: nodes.TransformWord) -> list[Query]:
    """Queries in which one part of a known query is under a transform."""
    found = {printer.print_query(one): None for one in crossing.transformed(word)}
    return [Query("", (Tree("body", (text,)),)) for text in found]


_TYPES = {Type.SET: "S", Type.NUMERIC: "N", Type.STRING: "T", Type.POSITION: "P", Type.LOGICAL: "L"}
_KNOWN: dict[str, tuple[str, ...]] = {}


def known_parts() -> dict[str, tuple[str, ...]]:
    """Filters of all known queries, and the registry's examples: no spelling is left out for want of a
    template."""
    if not _KNOWN:
        found: dict[str, list[str]] = {
            letter: [printer.print_node(node) for node in crossing.stock()[1].get(kind, ())]
            for kind, letter in _TYPES.items()
        }
        found["H"] = []
        for row in registry.ROWS:
            checked = check.check(row.example)
            if checked.query is None:
                continue
            # In braces, so that whatever names they need are their own, and a path ends. A header is left out.
            headed = row.example.startswith("cql")
            body = printer.print_node(checked.query.body) if headed else row.example
            found["H"].append(f"{{ {body}\n}}")
        _KNOWN.update({letter: tuple(texts) for letter, texts in found.items()})
    return _KNOWN
