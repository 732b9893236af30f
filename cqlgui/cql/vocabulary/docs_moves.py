"""Help on the words about moves: forms and an example that runs."""

from __future__ import annotations

# fmt: off
DOCS: dict[str, tuple[tuple[str, ...], str]] = {
    "--": (
        ("--", "L--R", "L--R=P", "L--R(F ...)", "L--R=P(F ...)"),
        "N--f7(check)"),
    "[x]": (
        ("[x]", "L[x]R", "L[x]R=P", "L[x]R(F ...)", "L[x]R=P(F ...)"),
        "P[x][qr](not check)"),
    "capture": (
        ("move capture S", "path focus capture S ..."),
        "move capture q from P"),
    "captures": (
        ("move captures S",),
        "move captures [qr]"),
    "castle": (
        ("castle", "move castle", "legal --(castle)"),
        "castle btm"),
    "countmoves": (
        ("countmoves DASH", "countmoves legal DASH", "countmoves pseudolegal DASH"),
        "countmoves legal -- <= 3"),
    "currentmove": (
        ("currentmove DASH",),
        "currentmove R[x]q"),
    "enpassant": (
        ("enpassant", "move enpassant", "legal --(enpassant)"),
        "enpassant check"),
    "enpassantsquare": (
        ("enpassantsquare", "move enpassantsquare S"),
        "enpassantsquare & a-d5"),
    "from": (
        ("from", "move from S", "pin from S"),
        "mate from & a-h7"),
    "legal": (
        ("legal DASH", "countmoves legal DASH", "move legal ..."),
        "check not legal k--"),
    "move": (
        ("move parameter ...", "move parameter ... comment(F ...)", "move legal ... count"),
        "move from P to a-h8 promote N"),
    "null": (
        ("move null",),
        "move null"),
    "nullmove": (
        ("nullmove",),
        "nullmove"),
    "o-o": (
        ("o-o", "move o-o", "legal --(o-o)"),
        "o-o check"),
    "o-o-o": (
        ("o-o-o", "move o-o-o", "legal --(o-o-o)"),
        "o-o-o check"),
    "pin": (
        ("pin", "pin from S through T to U"),
        "pin from [BR] through q"),
    "previous": (
        ("previous DASH", "move previous ..."),
        "previous K--g1"),
    "primary": (
        ("primary", "move primary", "path primary ...", "line primary --> F ..."),
        "primary mate"),
    "promote": (
        ("move promote P",),
        "move promote [RBN]"),
    "pseudolegal": (
        ("pseudolegal DASH", "countmoves pseudolegal DASH", "move pseudolegal ..."),
        "#pseudolegal N-- > #legal N--"),
    "secondary": (
        ("secondary", "move secondary", "line secondary --> F ..."),
        "secondary check"),
    "through": (
        ("pin through T",),
        "pin through q from R"),
    "to": (
        ("to", "move to S", "pin to U"),
        "check to & [f7,h7]"),
    "xray": (
        ("xray (S1 ... Sn)",),
        "xray(R q k)"),
}
