"""Help on the words about other positions of the game, files and ranks, pawn structure and pictures of mates:
forms and an example."""

# ruff: noqa: E501

from __future__ import annotations

# fmt: off
DOCS: dict[str, tuple[tuple[str, ...], str]] = {
    ":": (
        ("X:F",),
        "parent:check and not check"),
    "[<]": (
        ("X [<] Y",),
        "mate initialposition [<] currentposition"),
    "[<=]": (
        ("X [<=] Y",),
        "initialposition [<=] currentposition"),
    "[>]": (
        ("X [>] Y",),
        "(find mate) [>] currentposition"),
    "[>=]": (
        ("X [>=] Y",),
        "(find mate) [>=] currentposition"),
    "ancestor": (
        ("ancestor (X Y)",),
        "ancestor(currentposition find mate)"),
    "attacked": (
        ("S attacked by T",),
        "k attacked by Q"),
    "black": (
        ("black", "elo black", "player black",),
        "sidetomove == black"),
    "by": (
        ("S attacked by T",),
        "k attacked by Q"),
    "child": (
        ("child", "child (n)",),
        "child:check"),
    "colortype": (
        ("colortype S",),
        "colortype d4 == -1"),
    "connectedpawns": (
        ("connectedpawns",),
        "(connectedpawns & passedpawns & P) >= 2"),
    "consecutivemoves": (
        ("consecutivemoves (x y)", "consecutivemoves n m (x y)", "consecutivemoves quiet (x y)",),
        "mainline echo(s t) {variation consecutivemoves(s t) >= 5}"),
    "depth": (
        ("depth",),
        "depth >= 2"),
    "descendant": (
        ("descendant (X Y)",),
        "descendant(find mate currentposition)"),
    "distance": (
        ("distance (X Y)",),
        "distance(initialposition currentposition) == 20"),
    "doubledpawns": (
        ("doubledpawns",),
        "(doubledpawns & P) >= 4"),
    "echo": (
        ("echo (s t) F", "echo quiet (s t) F", "echo (s t) in all F",),
        "echo(s t) {s [<] t sidetomove == s:sidetomove s & t == .}"),
    "equal": (
        ("equal (F G)",),
        "equal(K k)"),
    "extension": (
        ("extension",),
        "extension or mate"),
    "fen": (
        ("fen", "fen \"placement\"",),
        "fen \"8/8/8/8/8/8/8/KBNk4\""),
    "file": (
        ("file S",),
        "file K == file k"),
    "idealmate": (
        ("idealmate",),
        "idealmate"),
    "idealstalemate": (
        ("idealstalemate",),
        "idealstalemate"),
    "initialposition": (
        ("initialposition",),
        "initialposition:wtm"),
    "isolatedpawns": (
        ("isolatedpawns",),
        "(isolatedpawns & doubledpawns & P) >= 2"),
    "lastgamenumber": (
        ("lastgamenumber",),
        "gamenumber <= lastgamenumber / 2"),
    "lca": (
        ("lca (X Y)",),
        "echo(s t) {check lca(s t):wtm}"),
    "mainline": (
        ("mainline",),
        "mainline terminal"),
    "makesquare": (
        ("makesquare (file rank)", "makesquare s",),
        "makesquare(file K 9-rank K) & k"),
    "modelmate": (
        ("modelmate",),
        "modelmate"),
    "modelstalemate": (
        ("modelstalemate",),
        "modelstalemate"),
    "nosort": (
        ("similarposition nosort \"file.pgn\"",),
        "initial similarposition nosort \"studies.pgn\""),
    "parent": (
        ("parent",),
        "check parent:parent:check"),
    "passedpawns": (
        ("passedpawns",),
        "(passedpawns & P) >= 3"),
    "pieceid": (
        ("pieceid S",),
        "pieceid K == 4"),
    "piecename": (
        ("piecename S",),
        "piecename e4 == \"P\""),
    "position": (
        ("position n",),
        "position 0:wtm"),
    "puremate": (
        ("puremate",),
        "puremate"),
    "purestalemate": (
        ("purestalemate",),
        "purestalemate"),
    "rank": (
        ("rank S",),
        "rank K == 8"),
    "sidetomove": (
        ("sidetomove",),
        "sidetomove == white"),
    "similarposition": (
        ("similarposition \"file.pgn\"", "similarposition nosort \"file.pgn\"", "similarposition notransform \"file.pgn\"",),
        "initial similarposition \"studies.pgn\""),
    "try": (
        ("try",),
        "try and stalemate"),
    "type": (
        ("type S",),
        "type e4 == 1"),
    "typename": (
        ("typename S",),
        "typename e4 == \"P\""),
    "variation": (
        ("variation",),
        "variation mate"),
    "virtualmainline": (
        ("virtualmainline",),
        "virtualmainline mate"),
    "white": (
        ("white", "elo white", "player white",),
        "sidetomove == white"),
}
