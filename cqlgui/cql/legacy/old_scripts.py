"""Diagnostics for a script of an older CQL, shown instead of syntax errors. The first diagnostic says that
the script is old. If the script can be translated, the fix of the first diagnostic is the translation. The
other diagnostics show the notes of the translation."""

from __future__ import annotations

from typing import Final

from cqlgui.cql.legacy import translate
from cqlgui.cql.source.diagnostics import Diagnostic, Fix, Span

CODE: Final = "old-script"
NOTE: Final = "old-script-note"


def findings(text: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of an old script (see `translate.looks_old`). The first diagnostic is the error `CODE`.
    This error has a fix if the whole script can be translated."""
    found = translate.translate(text)
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    line = text.find("\n", start)
    head = Span(start, (len(text) if line < 0 else line) - start)
    if found.failed:
        lost = [translate.NO_EQUIVALENT in note.message for note in found.notes if note.severity == "error"]
        said = [
            _parts(lost.count(False), "cannot be read", "cannot be read"),
            _parts(lost.count(True), "has no equivalent in CQL 6", "have no equivalent in CQL 6"),
        ]
        message = f"This is a script of an older CQL, and {' and '.join(words for words in said if words)}."
        first = Diagnostic(head, CODE, message, "mend what is marked, and it can be translated")
    else:
        fix = Fix("Translate it to CQL 6", Span(0, len(text)), found.text)
        first = Diagnostic(head, CODE, "This is a script of an older CQL.", "translate it to CQL 6", fix=fix)
    notes = tuple(
        Diagnostic(note.span, NOTE, _sentence(note.message), "", note.severity) for note in found.notes
    )
    return (first, *notes)


def _parts(count: int, one: str, many: str) -> str:
    if count == 0:
        return ""
    return f"a part of it {one}" if count == 1 else f"{count} parts of it {many}"


def _sentence(words: str) -> str:
    clean = "".join(sign if sign.isprintable() else " " for sign in words)
    return clean[:1].upper() + clean[1:].rstrip(".") + "."
