"""The answers to an editor's requests about one document, as LSP's data."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from lsprotocol import types

from cqlgui.cql.editing import completing, describing, outline, spelling
from cqlgui.cql.source import diagnostics, tokens
from cqlgui.cql.transforming import transforms
from cqlgui.cql.vocabulary import registry
from cqlgui.lsp.documents import Document
from cqlgui.tasks.asking import queries

LANGUAGE: Final = "chess-cql"
"""The language id of CQL texts."""

_MOST_ELEMENTS: Final = 16
_LONGEST_ELEMENT: Final = 200
_DEEPEST: Final = 4
_SEVERITY: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
}
_COMPLETION_KINDS: Final = {
    "filter": types.CompletionItemKind.Function,
    "pgn key": types.CompletionItemKind.Function,
    "transform": types.CompletionItemKind.Class,
    "direction": types.CompletionItemKind.EnumMember,
    "operator": types.CompletionItemKind.Operator,
}
_SYMBOL_KINDS: Final = {
    "function": types.SymbolKind.Function,
    "variable": types.SymbolKind.Variable,
    "dictionary": types.SymbolKind.Object,
    "sequence": types.SymbolKind.Event,
}


def problems(document: Document) -> list[types.Diagnostic]:
    """The errors and warnings of a text. A hint is a second line of the message."""
    return [_problem(document, finding) for finding in document.findings]


def fixes(
    document: Document, where: types.Range, only: Sequence[types.CodeActionKind | str] | None
) -> list[types.CodeAction]:
    """The quick fixes of the findings that touch a range. `only` lists the kinds of actions that the editor
    wants; None means all kinds."""
    wanted = types.CodeActionKind.QuickFix
    if only is not None and not any(wanted == one or wanted.startswith(f"{one}.") for one in only):
        return []
    start, end = document.offset(where.start), document.offset(where.end)
    made: dict[diagnostics.Fix, types.CodeAction] = {}
    mended: dict[diagnostics.Fix, list[types.Diagnostic]] = {}
    for finding in document.findings:
        fix = finding.fix
        if fix is None or finding.span.offset > end or finding.span.end < start:
            continue
        edit = types.TextEdit(document.range(fix.span.offset, fix.span.end), fix.new)
        action = types.CodeAction(
            title=fix.title,
            kind=wanted,
            edit=types.WorkspaceEdit(changes={document.uri: [edit]}),
        )
        made.setdefault(fix, action)
        mended.setdefault(fix, []).append(_problem(document, finding))
    for fix, action in made.items():
        action.diagnostics = mended[fix]
    return list(made.values())


def completions(document: Document, where: types.Position) -> types.CompletionList:
    """The words that the window's editor offers at a place; none in strings and comments. A designator or a
    name of the query that is typed already comes first, because many editors insert the first word when the
    user presses Enter."""
    caret = document.offset(where)
    line = document.line(caret)
    typed = completing.prefix(document.text[document.line_start(line) : caret])
    before = document.token_at(caret - 1) if caret else None
    if before is not None and completing.is_quiet(before, before.offset, before.end, caret):
        return types.CompletionList(is_incomplete=False, items=[])
    first = document.line_start(max(0, line - completing.NEAR))
    last = document.line_start(line + completing.NEAR + 1)
    near = [token for token in document.tokens if first <= token.offset < last]
    offers = completing.offers(typed, near)
    if offers and before is not None and before.text == typed:
        offers = (*_whole(before, near), *offers)
    place = document.range(caret - len(typed), caret)
    items = [
        types.CompletionItem(
            label=offer.word,
            kind=_COMPLETION_KINDS.get(offer.row.kind, types.CompletionItemKind.Keyword)
            if offer.row is not None
            else types.CompletionItemKind.Variable,
            detail=offer.meaning,
            # Editors sort by this text, and so keep the order.
            sort_text=f"{number:04}",
            text_edit=types.TextEdit(place, offer.word),
            tags=[types.CompletionItemTag.Deprecated]
            if offer.row is not None and offer.row.status == "deprecated"
            else None,
        )
        for number, offer in enumerate(offers)
    ]
    return types.CompletionList(is_incomplete=False, items=items)


def resolved(item: types.CompletionItem) -> types.CompletionItem:
    """A completion with the help on its keyword. Editors ask for it when they show the completion."""
    row = registry.lookup(item.label)
    if row is not None and item.kind != types.CompletionItemKind.Variable:
        # Editors show the item's detail beside it, which is the meaning.
        item.documentation = _markdown([one for one in _row_help(row) if one != describing.meaning(row)])
    return item


def hover(document: Document, where: types.Position) -> types.Hover | None:
    """Help on the token at a place: a keyword's row, a designator in words. A transform also shows the
    elements of the outermost orbit that it belongs to."""
    token = document.token_at(document.offset(where))
    if token is None or token.kind in tokens.TRIVIA:
        return None
    if token.kind is tokens.Kind.DESIGNATOR:
        parts = [f"`{token.text}` – {describing.designator_words(token.men, token.squares)}"]
    else:
        start = document.line_start(document.line(token.offset))
        row = describing.row_of(token, document.text[start : token.offset])
        parts = _row_help(row) if row is not None else []
    if token.kind is tokens.Kind.TRANSFORM:
        parts += _orbit(document, token.offset)
    if not parts:
        return None
    return types.Hover(_markdown(parts), document.range(token.offset, token.end))


def formatted(document: Document) -> list[types.TextEdit]:
    """The changes that tidy a text as `cqlgui format` does. Lines that stay are left alone, and so are the
    line ends of a text with `\\r\\n`."""
    text = document.text
    new = spelling.tidied(text)
    if "\r\n" in text:
        new = new.replace("\n", "\r\n")
    old_lines, new_lines = text.splitlines(keepends=True), new.splitlines(keepends=True)
    first = _common(old_lines, new_lines)
    last = _common(old_lines[first:][::-1], new_lines[first:][::-1])
    start = sum(map(len, old_lines[:first]))
    end = len(text) - sum(map(len, old_lines[len(old_lines) - last :]))
    replacement = "".join(new_lines[first : len(new_lines) - last])
    if text[start:end] == replacement:
        return []
    return [types.TextEdit(document.range(start, end), replacement)]


def symbols(document: Document) -> list[types.DocumentSymbol]:
    """The functions, variables, dictionaries and sequences of a text. What lies inside a function or a
    sequence is its child."""
    top: list[types.DocumentSymbol] = []
    around: list[tuple[int, list[types.DocumentSymbol]]] = []
    for one in outline.symbols(document.tokens):
        children: list[types.DocumentSymbol] = []
        made = types.DocumentSymbol(
            name=one.name,
            kind=_SYMBOL_KINDS[one.kind],
            range=document.range(one.span.offset, one.span.end),
            selection_range=document.range(one.name_span.offset, one.name_span.end),
            children=children,
        )
        while around and around[-1][0] < one.span.end:
            around.pop()
        (around[-1][1] if around else top).append(made)
        # A very deep tree could not be written as JSON.
        if one.kind in ("function", "sequence") and len(around) < _DEEPEST:
            around.append((one.span.end, children))
    return top


def folds(document: Document) -> list[types.FoldingRange]:
    """The parts of a text that span several lines. The closing bracket stays visible if its line begins with
    it."""
    made = []
    for fold in outline.folds(document.tokens):
        first, last = document.line(fold.span.offset), document.line(fold.span.end - 1)
        if not fold.comment and document.text[fold.span.end - 1] in ")]}":
            lead = document.text[document.line_start(last) : fold.span.end - 1]
            last -= not lead.strip()
        if first < last:
            kind = types.FoldingRangeKind.Comment if fold.comment else types.FoldingRangeKind.Region
            made.append(types.FoldingRange(first, last, kind=kind))
    return made


def _problem(document: Document, finding: diagnostics.Diagnostic) -> types.Diagnostic:
    hint = finding.hint[:1].upper() + finding.hint[1:]
    return types.Diagnostic(
        range=document.range(finding.span.offset, finding.span.end),
        severity=_SEVERITY[finding.severity],
        code=finding.code,
        source="cqlgui",
        message=finding.message + (f"\n{hint}" if hint else ""),
    )


def _whole(typed: tokens.Token, near: Sequence[tokens.Token]) -> list[completing.Offer]:
    """What was typed, as a word to offer, if it is a designator or a name that is also used elsewhere."""
    if typed.kind is tokens.Kind.DESIGNATOR:
        words = describing.designator_words(typed.men, typed.squares)
        return [completing.Offer(typed.text, words, None)]
    if typed.kind is tokens.Kind.NAME and any(
        one.kind is tokens.Kind.NAME and one.text == typed.text and one is not typed for one in near
    ):
        return [completing.Offer(typed.text, completing.USED, None)]
    return []


def _orbit(document: Document, offset: int) -> list[str]:
    """The elements of the orbit around an offset, as the picker of the window shows them."""
    orbit = queries.orbit_at(document.text, offset)
    if orbit is None:
        return []
    count = len(orbit.elements)
    shown = "\n".join(_element(one) for one in orbit.elements[:_MOST_ELEMENTS])
    more = [f"and {count - _MOST_ELEMENTS:,} more"] if count > _MOST_ELEMENTS else []
    noun = "element" if count == 1 else "elements"
    return [f"`{orbit.transform}` has {count:,} {noun} here:", _fenced(shown), *more]


def _element(element: transforms.ElementInfo) -> str:
    text = " ".join(element.text.split())
    if len(text) > _LONGEST_ELEMENT:
        text = text[: _LONGEST_ELEMENT - 1] + "…"
    return f"{text}    // {element.words}"


def _row_help(row: registry.Row) -> list[str]:
    """The paragraphs of the help on a keyword, in Markdown."""
    sign = f" {row.sign}" if row.sign else ""
    parts = [f"`{row.name}`{sign} *({', '.join(row.notes)})*"]
    if row.forms:
        parts.append(_fenced("\n".join(row.forms)))
    if row.meaning:
        parts.append(describing.meaning(row))
    if row.example:
        parts += ["Example:", _fenced(row.example)]
    return parts


def _fenced(text: str) -> str:
    """A block of CQL. Text from a query cannot close the block."""
    longest = max((len(run) for run in _runs(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{LANGUAGE}\n{text}\n{fence}"


def _runs(text: str) -> Iterator[str]:
    return ("".join(group) for sign, group in itertools.groupby(text) if sign == "`")


def _markdown(parts: Sequence[str]) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(parts))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of equal items at the beginning of both sequences."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
