"""The rich text of the tooltips over the query: findings, keywords and designators."""

from __future__ import annotations

import html
import re

from cqlgui.cql.editing import describing
from cqlgui.cql.source import diagnostics, tokens
from cqlgui.cql.vocabulary import registry

_QUOTED = re.compile(r"`([^`]+)`")


def finding_html(finding: diagnostics.Diagnostic) -> str:
    """A diagnostic in two parts: what is wrong, and how to mend the mistake."""
    head = "Error" if finding.severity == "error" else "Warning"
    text = f"<b>{head}:</b> {html.escape(finding.message)}"
    return text + (f"<br><i>{html.escape(finding.hint)}</i>" if finding.hint else "")


def token_html(token: tokens.Token, before: str = "") -> str:
    """Help on the token under the pointer; empty if there is no help. `before` is the text of the line up to
    the pointer."""
    if token.kind is tokens.Kind.DESIGNATOR:
        words = describing.designator_words(token.men, token.squares)
        return f"<b>{html.escape(token.text)}</b> – {html.escape(words)}"
    row = describing.row_of(token, before)
    return "" if row is None else row_html(row)


def row_html(row: registry.Row) -> str:
    """Help on a keyword: its spelling, its syntax, its meaning and an example."""
    head = f"<b>{html.escape(row.name)}</b>"
    if row.sign:
        head += f" &nbsp;{html.escape(row.sign)}"
    lines = [f"{head} <small>({html.escape(', '.join(row.notes))})</small>"]
    lines += [f"<code>{html.escape(form)}</code>" for form in row.forms]
    if row.meaning:
        lines.append(meaning_html(row))
    if row.example:
        lines.append(f"<small>Example:</small> <code>{html.escape(row.example)}</code>")
    return "<br>".join(lines)


def meaning_html(row: registry.Row) -> str:
    """The meaning of a keyword, with quoted parts as code."""
    return _QUOTED.sub(r"<code>\1</code>", html.escape(describing.meaning(row)))
