"""Help on the words about paths and lines: forms and an example that runs."""

from __future__ import annotations

# fmt: off
DOCS: dict[str, tuple[tuple[str, ...], str]] = {
    "path": (
        ("path constituent ...", "path n m focus S nestban ... constituent ...",
         "constituent: DASH F ...  |  (constituent ...)  |  F", "DASH F ... WILDCARD", "( ... ) WILDCARD"),
        "path B[x]ph7 check k[x]h7 N--g5 check"),
    "line": (
        ("line --> F --> F ...", "line <-- F <-- F ...",
         "line n m nestban ... --> F WILDCARD --> (F --> F) ..."),
        "line --> check --> . --> check"),
    "pathcount": (
        ("pathcount",),
        "path --+ {pathcount >= 3} mate"),
    "pathcountunfocused": (
        ("pathcountunfocused",),
        "path focus N -- -- {pathcountunfocused >= 3}"),
    "pathlastposition": (
        ("pathlastposition",),
        "{path quiet -- check -- check} pathlastposition == find check"),
    "pathstart": (
        ("pathstart",),
        "path -- -- {#(pathstart & currentposition) == 62}"),
    "firstmatch": (
        ("path firstmatch ...", "line firstmatch ..."),
        "path firstmatch -- * mate"),
    "focus": (
        ("path focus S ...", "path focus capture S ..."),
        "path focus N -- -- --f7"),
    "keepallbest": (
        ("path keepallbest ...",),
        "path keepallbest -- {1,6} check"),
    "lastposition": (
        ("path lastposition ...", "line lastposition ..."),
        "(path lastposition -- * mate) == find mate"),
    "nestban": (
        ("path nestban ...", "line nestban ..."),
        "path 4 100 nestban [x] +"),
    "piecepath": (
        ("path focus S piecepath ...",),
        "path focus K piecepath K-- {12,}"),
    "singlecolor": (
        ("path singlecolor ...", "line singlecolor ..."),
        "path singlecolor P--e4 P--d4"),
    "title": (
        ("path title \"text\" ...",),
        "path title \"two checks\" -- check -- check"),
    "verbose": (
        ("path verbose ...",),
        "path verbose -- check -- -- check"),
    "-->": (
        ("line --> F --> F ...",),
        "line --> check --> mate"),
    "<--": (
        ("find <-- F", "line <-- F <-- F ..."),
        "mate find <-- stalemate"),
    "?": (
        ("DASH ?", "( ... ) ?", "line --> F ?"),
        "path P[x] N-- ? p[x]"),
    "{*}": (
        ("DASH {*}", "( ... ) {*}", "line --> F {*}"),
        "path [x] -- {*} mate"),
    "{+}": (
        ("DASH {+}", "( ... ) {+}", "line --> F {+}"),
        "line --> check --> . {+} --> mate"),
    "{n,m}": (
        ("DASH {n}", "DASH {n,}", "DASH {,m}", "( ... ) {n,m}", "line --> F {n,m}"),
        "path [x] {4,8}"),
}
