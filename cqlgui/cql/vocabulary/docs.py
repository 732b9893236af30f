"""Help on the words about the current position, men, squares, directions, transforms and the header: forms
and an example that runs."""

# ruff: noqa: E501

from __future__ import annotations

# fmt: off
DOCS: dict[str, tuple[tuple[str, ...], str]] = {
    "abs": (
        ("abs n",),
        "abs(power A - power a) >= 5"),
    "all": (
        ("find all F", "piece all x in S F", "square all x in S F",),
        "find all check >= 3"),
    "attack": (
        ("ray attack (S1 ... Sn)",),
        "ray attack(R n k)"),
    "and": (
        ("F and G",),
        "check and wtm"),
    "attackedby": (
        ("S attackedby T",),
        "k attackedby Q"),
    "attacks": (
        ("S attacks T",),
        "N attacks [kq]"),
    "between": (
        ("between (S T)",),
        "between(K k) & [Aa] == 0"),
    "btm": (
        ("btm",),
        "btm check"),
    "check": (
        ("check",),
        "check"),
    "comment": (
        ("comment (F ...)", "comment F",),
        "check comment(\"checked by \" A->k)"),
    "count": (
        ("find count F", "flip count F",),
        "2 <= flip count Ra1"),
    "cql": (
        ("cql (parameter ...)",),
        "cql() mate"),
    "curpos": (
        ("curpos",),
        "curpos == currentposition"),
    "currentposition": (
        ("currentposition",),
        "currentposition == currentposition"),
    "currenttransform": (
        ("currenttransform",),
        "flip {Ra1 comment(currenttransform)}"),
    "dark": (
        ("dark S",),
        "dark B >= 1"),
    "date": (
        ("date",),
        "date >= \"1990\""),
    "anydirection": (
        ("anydirection S", "anydirection n S", "anydirection n m S", "ray anydirection (S1 ... Sn)",),
        "anydirection 1 K & _"),
    "diagonal": (
        ("diagonal S", "diagonal n S", "diagonal n m S", "ray diagonal (S1 ... Sn)",),
        "diagonal 1 K & _"),
    "down": (
        ("down S", "down n S", "down n m S", "ray down (S1 ... Sn)",),
        "down 1 K & _"),
    "horizontal": (
        ("horizontal S", "horizontal n S", "horizontal n m S", "ray horizontal (S1 ... Sn)",),
        "horizontal 1 K & _"),
    "left": (
        ("left S", "left n S", "left n m S", "ray left (S1 ... Sn)",),
        "left 1 K & _"),
    "maindiagonal": (
        ("maindiagonal S", "maindiagonal n S", "maindiagonal n m S", "ray maindiagonal (S1 ... Sn)",),
        "maindiagonal 1 K & _"),
    "northeast": (
        ("northeast S", "northeast n S", "northeast n m S", "ray northeast (S1 ... Sn)",),
        "northeast 1 K & _"),
    "northwest": (
        ("northwest S", "northwest n S", "northwest n m S", "ray northwest (S1 ... Sn)",),
        "northwest 1 K & _"),
    "offdiagonal": (
        ("offdiagonal S", "offdiagonal n S", "offdiagonal n m S", "ray offdiagonal (S1 ... Sn)",),
        "offdiagonal 1 K & _"),
    "orthogonal": (
        ("orthogonal S", "orthogonal n S", "orthogonal n m S", "ray orthogonal (S1 ... Sn)",),
        "orthogonal 1 K & _"),
    "right": (
        ("right S", "right n S", "right n m S", "ray right (S1 ... Sn)",),
        "right 1 K & _"),
    "southeast": (
        ("southeast S", "southeast n S", "southeast n m S", "ray southeast (S1 ... Sn)",),
        "southeast 1 K & _"),
    "southwest": (
        ("southwest S", "southwest n S", "southwest n m S", "ray southwest (S1 ... Sn)",),
        "southwest 1 K & _"),
    "up": (
        ("up S", "up n S", "up n m S", "ray up (S1 ... Sn)",),
        "up 1 K & _"),
    "vertical": (
        ("vertical S", "vertical n S", "vertical n m S", "ray vertical (S1 ... Sn)",),
        "vertical 1 K & _"),
    "eco": (
        ("eco", "eco \"text\"",),
        "eco >= \"B20\""),
    "elo": (
        ("elo", "elo white", "elo black",),
        "elo white >= 2500"),
    "event": (
        ("event", "event \"text\"",),
        "event \"Open\""),
    "eventdate": (
        ("eventdate",),
        "eventdate >= \"1990\""),
    "false": (
        ("false",),
        "not false"),
    "find": (
        ("find F", "find all F", "find n m F", "find count F", "find quiet F", "find <-- F",),
        "find 2 5 check"),
    "flip": (
        ("flip F", "flip n F", "flip n m F", "flip count F",),
        "flip {Ra1 Kb1}"),
    "fliphorizontal": (
        ("fliphorizontal F", "fliphorizontal n F", "fliphorizontal n m F", "fliphorizontal count F",),
        "fliphorizontal {Ra1 Kb1}"),
    "flipvertical": (
        ("flipvertical F", "flipvertical n F", "flipvertical n m F", "flipvertical count F",),
        "flipvertical {Ra1 Kb1}"),
    "flipcolor": (
        ("flipcolor F", "flipcolor n F", "flipcolor n m F", "flipcolor count F",),
        "flipcolor {Ra1 Kb1}"),
    "rotate90": (
        ("rotate90 F", "rotate90 n F", "rotate90 n m F", "rotate90 count F",),
        "rotate90 {Ra1 Kb1}"),
    "rotate45": (
        ("rotate45 F", "rotate45 n F", "rotate45 n m F", "rotate45 count F",),
        "rotate45 {up 1 K & p}"),
    "shift": (
        ("shift F", "shift n F", "shift n m F", "shift count F",),
        "shift {Ra1 Kb1}"),
    "shifthorizontal": (
        ("shifthorizontal F", "shifthorizontal n F", "shifthorizontal n m F", "shifthorizontal count F",),
        "shifthorizontal {Ra1 Kb1}"),
    "shiftvertical": (
        ("shiftvertical F", "shiftvertical n F", "shiftvertical n m F", "shiftvertical count F",),
        "shiftvertical {Ra1 Kb1}"),
    "reversecolor": (
        ("reversecolor F",),
        "reversecolor {Ra1 wtm}"),
    "dihedral": (
        ("dihedral F",),
        "dihedral Ra1"),
    "flipdihedral": (
        ("flipdihedral F",),
        "flipdihedral Ra1"),
    "gamenumber": (
        ("gamenumber", "cql (gamenumber n m)",),
        "gamenumber <= 100"),
    "in": (
        ("S in T", "s in t", "piece x in S F",),
        "K in a-h1"),
    "initial": (
        ("initial",),
        "initial"),
    "input": (
        ("cql (input F.pgn)",),
        "cql(input games.pgn) mate"),
    "output": (
        ("cql (output F.pgn)",),
        "cql(output mates.pgn) mate"),
    "light": (
        ("light S",),
        "light B >= 1"),
    "matchcount": (
        ("cql (matchcount n m)", "cql (sort matchcount n m)",),
        "cql(matchcount 3 100) check"),
    "matchstring": (
        ("cql (matchstring \"text\")",),
        'cql(matchstring "MATED") mate'),
    "mate": (
        ("mate",),
        "mate"),
    "max": (
        ("max (E1 E2 ...)", "sort max \"key\" F", "path max F ...", "path max (F) ..."),
        "max(#A #a) >= 10"),
    "min": (
        ("min (E1 E2 ...)", "sort min \"key\" F",),
        "min(#A #a) <= 3"),
    "movenumber": (
        ("movenumber",),
        "movenumber >= 40"),
    "not": (
        ("not F",),
        "not check"),
    "notransform": (
        ("notransform F",),
        "flip {Ra1 notransform Kg1}"),
    "or": (
        ("F or G",),
        "mate or stalemate"),
    "piece": (
        ("piece x in S F", "piece all x in S F", "piece x = S",),
        "piece x in N {x->k}"),
    "player": (
        ("player", "player white", "player black", "player \"text\"",),
        "player \"Tal\""),
    "ply": (
        ("ply",),
        "ply == 10"),
    "positionid": (
        ("positionid",),
        "positionid < 20"),
    "power": (
        ("power S",),
        "power A - power a >= 9"),
    "quiet": (
        ("find quiet F", "sort quiet F", "path quiet ...", "line quiet ...", "cql (quiet)",),
        "find quiet mate"),
    "ray": (
        ("ray (S1 ... Sn)", "ray direction ... (S1 ... Sn)", "ray attack (S1 ... Sn)", "ray n m (S1 ... Sn)",),
        "ray up(R P k)"),
    "result": (
        ("result 1-0", "result 0-1", "result 1/2-1/2",),
        "result 1-0"),
    "silent": (
        ("cql (silent)",),
        "cql(silent) find mate"),
    "site": (
        ("site", "site \"text\"",),
        "site \"London\""),
    "sort": (
        ("sort F", "sort \"key\" F", "sort min \"key\" F", "sort quiet F",),
        "sort \"men\" #[Aa] <= 8"),
    "sqrt": (
        ("sqrt n",),
        "sqrt #A >= 3"),
    "square": (
        ("square x in S F", "square all x in S F",),
        "square x in a-h4 {A->x}"),
    "stalemate": (
        ("stalemate",),
        "stalemate"),
    "terminal": (
        ("terminal",),
        "terminal mate"),
    "true": (
        ("true",),
        "true"),
    "variations": (
        ("cql (variations)",),
        "cql(variations) mate"),
    "wtm": (
        ("wtm",),
        "wtm check"),
    "year": (
        ("year",),
        "year >= 2000"),
    "/* */": (
        ("/* text */",),
        "mate /* at last */"),
    "//": (
        ("// text",),
        "mate // at last"),
    "[Aa]": (
        ("[Aa]", "[Aa]x[element]S F",),
        "[Aa]==4"),
    "_": (
        ("_", "_e4",),
        "_e4"),
    "A": (
        ("A",),
        "A==1"),
    "a": (
        ("a",),
        "a==1"),
    "a-h1-8": (
        ("a-c1-3", "[a1,c3-5]",),
        "Pa-h7"),
    "a1": (
        ("e4",),
        "Ne5"),
    "K": (
        ("K", "Ke4",),
        "K>=1"),
    "Q": (
        ("Q", "Qe4",),
        "Q>=1"),
    "R": (
        ("R", "Re4",),
        "R>=1"),
    "B": (
        ("B", "Be4",),
        "B>=1"),
    "N": (
        ("N", "Ne4",),
        "N>=1"),
    "P": (
        ("P", "Pe4",),
        "P>=1"),
    "k": (
        ("k", "ke4",),
        "k>=1"),
    "q": (
        ("q", "qe4",),
        "q>=1"),
    "r": (
        ("r", "re4",),
        "r>=1"),
    "b": (
        ("b", "be4",),
        "b>=1"),
    "n": (
        ("n", "ne4",),
        "n>=1"),
    "p": (
        ("p", "pe4",),
        "p>=1"),
    "!=": (
        ("E != E",),
        "#A != #a"),
    "#": (
        ("#S", "#s",),
        "#A >= 3"),
    "%": (
        ("n % m",),
        "year % 2 == 0"),
    "%=": (
        ("x %= n",),
        "x = 5 x %= 3 x == 2"),
    "&": (
        ("S & T",),
        "P & a-h7"),
    "&=": (
        ("x &= S",),
        "x = A x &= a-h1 x"),
    "( )": (
        ("(F)", "path (constituent ...) ...", "line --> (F --> F) ..."),
        "(A | a) == 4"),
    "*": (
        ("n * m", "path DASH * ..."),
        "2 * #A >= #a"),
    "*=": (
        ("x *= n",),
        "x = 2 x *= 3 x == 6"),
    "+": (
        ("n + m", "s + t", "path DASH + ..."),
        "#A + #a == 4"),
    "+=": (
        ("x += E",),
        "x = 2 x += 3 x == 5"),
    "-": (
        ("n - m", "-n",),
        "power A - power a == 1"),
    "-=": (
        ("x -= n",),
        "x = 5 x -= 3 x == 2"),
    "->": (
        ("S -> T", "S1 -> S2 -> S3",),
        "R->n->k"),
    "<-": (
        ("S <- T",),
        "k<-Q"),
    ".": (
        (".",),
        "."),
    "/": (
        ("n / m",),
        "power A / 2 >= 5"),
    "///": (
        ("/// F ...",),
        "check ///\"check by \" A->k"),
    "/=": (
        ("x /= n",),
        "x = 6 x /= 3 x == 2"),
    "<": (
        ("E < E",),
        "#A < 3"),
    "<=": (
        ("E <= E",),
        "#A <= 3"),
    "=": (
        ("x = E",),
        "x = #A x > 3"),
    "==": (
        ("E == E",),
        "#A == #a"),
    "=?": (
        ("x =? S",),
        "x =? Q x"),
    ">": (
        ("E > E",),
        "#A > 3"),
    ">=": (
        ("E >= E",),
        "#A >= 3"),
    "[]": (
        ("[]",),
        "Q == []"),
    "[element]": (
        ("x[element]S F", "[Aa]x[element]S F",),
        "x[element]N {x->k}"),
    "[forall]": (
        ("[forall]x[element]S F",),
        "[forall]x[element]N {x->k}"),
    "\\n": (
        ("\\n",),
        "comment(\"a\" \\n \"b\")"),
    "{ }": (
        ("{F1 ... Fn}",),
        "{check wtm}"),
    "|": (
        ("S | T",),
        "(Q | q) == 0"),
    "|=": (
        ("x |= S",),
        "x = Q x |= q x"),
    "~": (
        ("~S",),
        "~A & a-h1"),
}
