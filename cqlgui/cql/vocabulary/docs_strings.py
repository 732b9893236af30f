"""Help on the words about strings: forms and an example that runs."""

from __future__ import annotations

# fmt: off
DOCS: dict[str, tuple[tuple[str, ...], str]] = {
    "ascii": (
        ("ascii s", "ascii n"),
        "initial ascii eco[0] >= 66"),
    "indexof": (
        ("indexof (s t)",),
        "initial indexof(\",\" player white) < 12"),
    "int": (
        ("int s",),
        "initial int date[0:4] >= 1990"),
    "lowercase": (
        ("lowercase s",),
        "initial \"carlsen\" in lowercase player white"),
    "readfile": (
        ("readfile s",),
        "initial gamenumber == 1 (readfile \"openings.cqo\") ~~ \"Sicilian\" == \"Sicilian\""),
    "str": (
        ("str (F ...)", "str F"),
        "terminal str(#A \"-\" #a) == \"1-1\""),
    "uppercase": (
        ("uppercase s",),
        "initial uppercase player white == player white"),
    "writefile": (
        ("writefile (s t)",),
        "mate writefile(\"mates.cqo\" str(gamenumber) + \\n)"),
    "[ ]": (
        ("s[i]", "s[i:j]", "s[i:]", "s[:j]", "x[i:j] = s", "D[key]"),
        "initial eco[0] == \"B\" eco[1:] >= \"90\""),
    "\\0": (
        ("\\0", "\\n"),
        "initial player white ~~ \"^([A-Z])[a-z]+, ?([A-Z])\" \\1 == \\2"),
    "\\-0": (
        ("\\-0", "\\-n"),
        "initial player white ~~ \", ?(.)\" \\-1 >= 9"),
    "~~": (
        ("s ~~ \"regular expression\"",),
        "initial player white ~~ \"^[A-M]\" == \\0"),
}
