"""Help on the words about control, variables, dictionaries and functions: forms and an example that runs."""

# ruff: noqa: E501

from __future__ import annotations

# fmt: off
DOCS: dict[str, tuple[tuple[str, ...], str]] = {
    "assert": (
        ("assert F", "assert x"),
        "assert K == 1 mate"),
    "atomic": (
        ("atomic x = E",),
        "atomic checks = 0 if check checks += 1 checks >= 3"),
    "dictionary": (
        ("dictionary D", "local dictionary D", "D[key]", "D[key] = E", "#D", "x[element]D F", "unbind D[key]"),
        "dictionary Seen Seen[#A] = #a Seen[#A] >= 10 terminal"),
    "else": (
        ("if C T else E",),
        "(if wtm #Q else #q) >= 2"),
    "function": (
        ("function f (p ...) { F ... }", "f(E ...)"),
        "function Near(X1 Y1) { anydirection 1 X1 & Y1 } Near(K q)"),
    "if": (
        ("if C T", "if C T else E", "if C then T else E"),
        "if wtm k attackedby Q else K attackedby q"),
    "isbound": (
        ("isbound x", "isbound \"x\""),
        "if check Checked = ply isbound Checked terminal"),
    "isunbound": (
        ("isunbound x", "isunbound \"x\""),
        "if isunbound \"Total\" Total = 0 Total += 1 terminal Total >= 40"),
    "local": (
        ("local dictionary D",),
        "local dictionary Places Places[#A] = ply terminal #Places >= 10"),
    "loop": (
        ("loop F",),
        "n1 = 0 loop {n1 < #Q n1 += 1} n1 >= 2"),
    "persistent": (
        ("persistent x = E", "persistent x += E", "persistent quiet x = E", "persistent dictionary D"),
        "if mate persistent Mates += 1 mate"),
    "string": (
        ("string x in D F",),
        "local dictionary Names Names[\"a\"] = ply string k1 in Names {Names[k1] >= 0} mate"),
    "then": (
        ("if C then T else E",),
        "if wtm then A >= 15 else a >= 15"),
    "unbind": (
        ("unbind x", "unbind D", "unbind D[key]"),
        "Where = k unbind Where isunbound Where mate"),
    "while": (
        ("while (C) F", "while (s ~~ \"regular expression\") F"),
        "n1 = 0 while (player white ~~ \"[A-Z]\") n1 += 1 n1 >= 3"),
}
