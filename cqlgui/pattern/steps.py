"""Patterns that follow each other in a game: a `path` of groups, or `find` within `find`.

    path {A} -- {B} --{1,6} {C} --+ {D}      B in the next move, C within six plies, D any time later
    {A find {B find {C}}}                    each at the same position as the one before, or any time later

Both forms match at the position where the first step holds. A path says how many moves lie between two steps.
`find` cannot say this.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from cqlgui.base.data import dataclass, replace
from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths
from cqlgui.cql.editing import spelling, structure
from cqlgui.cql.source import tokens
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.syntax.reading import lexer
from cqlgui.pattern import editing, groups, reading, writing
from cqlgui.pattern.drafts import Draft, Edit
from cqlgui.pattern.marks import Pattern

Form = Literal["path", "find"]


@dataclass(frozen=True, slots=True)
class Gap:
    """The plies between two steps: (1, 1) means the next move. If `most` is None, the next step holds any
    time later."""

    least: int = 1
    most: int | None = None


ANY_TIME: Final = Gap(1, None)
NEXT_MOVE: Final = Gap(1, 1)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Steps and the gaps between the steps. The `span` of a step covers the filters of the step. The `span`
    of a path covers the whole path. The `span` of a `find` sequence begins with the first step and includes
    all later steps."""

    form: Form
    steps: tuple[Pattern, ...]
    gaps: tuple[Gap, ...]
    span: Span


def sequence_at(text: str, caret: int) -> Sequence | None:
    """The innermost sequence around a caret, or the first sequence of the text if the caret stands in no
    sequence. None if the text has no sequence."""
    found = _at(text, caret)
    return None if found is None else found.sequence


def home_at(text: str, caret: int) -> Span | None:
    """The group that holds the sequence of the drawn step, including the braces of the group. None if no step
    is drawn."""
    drawn = reading.group_at(text, caret)
    found = [one for one in _around(text, caret) if len(one.groups) > 1 and drawn in one.groups]
    # A sequence in braces is found twice: in its braces and in the body. The shorter group is preferred.
    homes = sorted(found, key=lambda one: (one.sequence.span.length, one.home.content.length))
    return homes[0].home.outside if homes else None


def add_step(text: str, caret: int, pattern: Pattern) -> Edit:
    """Add a pattern as the last step, with the gap `ANY_TIME` before it. If there is no sequence, the group
    at the caret becomes the first step. A text without filters gets the pattern alone."""
    found, new = _at(text, caret), writing.text_of(pattern)
    group = reading.group_at(text, caret)
    if group is None:
        return Edit((), caret)
    if found is not None:
        wanted = len(found.groups) + 1
        tries = (_extended(text, caret, found, new, closed=closed) for closed in (False, True))
        return next((one for one in tries if _count(text, one) == wanted), Edit((), caret))
    draft = Draft(text)
    if not group.filters:
        draft.put(len(text), editing.lead(text) + new)
        return draft.edit(caret)
    if group.braced and not group.chain and group == groups.body(text):
        draft.put(group.outside.offset, "path ")
        draft.put(group.outside.end, f" {_spelled(ANY_TIME)} {new}")
    else:
        # With braces around the path, filters that follow do not become a part of the path.
        inner = ("", "") if group.braced or not group.chain else ("{", "}")
        draft.put(group.content.offset, inner[0] + "path {")
        draft.put(group.content.end, f"}} {_spelled(ANY_TIME)} {new}{inner[1]}")
    return _with_caret(text, draft, caret, -1)


def _extended(text: str, caret: int, found: _Found, new: str, *, closed: bool) -> Edit:
    """Add a step to a sequence. With `closed`, brackets enclose the filter before the new `find`. The
    brackets are needed if the new `find` would become a part of this filter, as after a path."""
    draft, last = Draft(text), found.groups[-1]
    if found.sequence.form == "path":
        draft.put(found.sequence.span.end, f" {_spelled(ANY_TIME)} {new}")
        return _with_caret(text, draft, caret, -1)
    if not last.braced:
        draft.put(last.content.offset, "{")
    if closed:
        span = groups.layout(text).outer(last.filters[-1].span, last.content)
        draft.put(span.offset, "(")
        draft.put(span.end, ")")
    draft.put(last.content.end, f" find {new}" + ("" if last.braced else "}"))
    return _with_caret(text, draft, caret, -1)


def _count(text: str, edit: Edit) -> int:
    """The number of steps after an edit."""
    after = sequence_at(edit.applied(text), edit.caret) if edit.changes else None
    return 0 if after is None else len(after.steps)


def remove_step(text: str, caret: int, step: int) -> Edit:
    """Remove a step and the gap before it. For the first step, the gap after the step is removed. If a single
    step is left, it becomes an ordinary group."""
    found = _at(text, caret)
    if found is None or not 0 <= step < len(found.groups):
        return Edit((), caret)
    contents, gaps = found.contents(text), list(found.sequence.gaps)
    del contents[step]
    del gaps[max(step - 1, 0) : max(step, 1)]
    form, shown = found.sequence.form, max(step - 1, 0)
    if form == "path" and len(contents) > 1:
        # The rest of the text stays as the user wrote it.
        draft = Draft(text)
        draft.drop(found.groups[step].outside)
        draft.drop(found.gap_spans[shown])
        edit = draft.edit(caret)
        if _holds(text, edit, found.sequence.span.offset, form, contents, gaps):
            return _with_caret(text, draft, found.sequence.span.offset, shown)
    return _rewritten(text, caret, found, form, contents, gaps, shown)


def move_step(text: str, caret: int, step: int, to: int) -> Edit:
    """Move a step to another place in the order; the gaps stay where they are."""
    found = _at(text, caret)
    if found is None or step == to or not all(0 <= one < len(found.groups) for one in (step, to)):
        return Edit((), caret)
    order = list(range(len(found.groups)))
    order.insert(to, order.pop(step))
    written, gaps = found.contents(text), list(found.sequence.gaps)
    contents, form = [written[one] for one in order], found.sequence.form
    if form == "path":
        # The text between the steps stays as the user wrote it.
        places = [one.outside for one in found.groups]
        changes = tuple(
            spelling.Change(place.offset, place.end, text[places[one].offset : places[one].end])
            for place, one in zip(places, order, strict=True)
        )
        edit = Edit(changes, found.sequence.span.offset)
        if _holds(text, edit, found.sequence.span.offset, form, contents, gaps):
            return _in_step(text, edit, to)
    return _rewritten(text, caret, found, form, contents, gaps, to)


def set_gap(text: str, caret: int, gap: int, new: Gap) -> Edit:
    """Replace a gap between two steps of a path. The other gaps do not change."""
    found = _at(text, caret)
    if found is None or not 0 <= gap < len(found.gap_spans) or found.sequence.gaps[gap] == new:
        return Edit((), caret)
    contents, gaps = found.contents(text), list(found.sequence.gaps)
    gaps[gap] = new
    draft = Draft(text)
    draft.replace(found.gap_spans[gap], _spelled(new))
    edit = _with_caret(text, draft, caret, gap + 1)
    if _holds(text, edit, found.sequence.span.offset, "path", contents, gaps):
        return edit
    # A target in brackets may follow the `--`. With a repetition, the `--` and this target would be read as a
    # different filter. The path is therefore written again.
    return _rewritten(text, caret, found, "path", contents, gaps, gap + 1)


def set_form(text: str, caret: int, form: Form) -> Edit:
    """Write the same steps as a path, or as `find` within `find`. The lengths of the gaps are lost."""
    found = _at(text, caret)
    if found is None or found.sequence.form == form:
        return Edit((), caret)
    gaps = [ANY_TIME for _ in found.sequence.gaps]
    return _rewritten(text, caret, found, form, found.contents(text), gaps, 0)


# --- finding ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """A sequence, the group that holds it, the groups of its steps, and the places of the gaps of a path."""

    sequence: Sequence
    home: groups.PatternGroup
    groups: tuple[groups.PatternGroup, ...]
    gap_spans: tuple[Span, ...] = ()

    def contents(self, text: str) -> list[str]:
        """The filters of each step as written; `writing.PLACE_HOLDER` for a step without filters."""
        written = (text[one.span.offset : one.span.end].strip(" ") for one in self.sequence.steps)
        return [one or writing.PLACE_HOLDER for one in written]


def _at(text: str, caret: int) -> _Found | None:
    around = _around(text, caret)
    if around:
        return min(around, key=lambda one: one.sequence.span.length)
    return next(_all(text), None)


def _around(text: str, caret: int) -> list[_Found]:
    """The sequences around a caret."""
    return [one for one in _all(text) if one.sequence.span.offset <= caret <= one.sequence.span.end]


def _all(text: str) -> Iterator[_Found]:
    body = groups.body(text)
    if body is None:
        return
    layout = groups.layout(text)
    homes = [body, *(one for one in groups.all_groups(text) if one != body)]
    nested: set[Span] = set()
    for home in homes:
        for node in home.filters:
            if isinstance(node, nodes_paths.Path):
                yield from _path(text, layout, home, node)
        if home.content not in nested:
            chain = list(_finds(layout, home))
            nested.update(one.content for one in chain)
            if len(chain) > 1:
                steps = [reading.read(text, one).pattern for one in chain]
                patterns = [_without_find(layout, one, step) for one, step in zip(chain, steps, strict=True)]
                sequence = Sequence("find", tuple(patterns), (Gap(0, None),) * (len(chain) - 1), home.content)
                yield _Found(sequence, home, tuple(chain))


def _finds(layout: groups.Layout, group: groups.PatternGroup) -> Iterator[groups.PatternGroup]:
    """The group and the groups nested in it. The operand of a plain `find` is the next group if this `find`
    is the last filter of a group."""
    while True:
        yield group
        last = group.filters[-1] if group.filters else None
        plain = isinstance(last, nodes.Find) and not (last.all or last.backwards or last.range or last.quiet)
        if not plain or layout.brackets(last.span, group.content):  # type: ignore[union-attr]  # a Find
            return
        assert isinstance(last, nodes.Find)
        group = groups.of_condition(layout, last.operand)


def _without_find(layout: groups.Layout, group: groups.PatternGroup, pattern: Pattern) -> Pattern:
    """A step's own pattern, without the `find` of the next step."""
    last = group.filters[-1]
    if not isinstance(last, nodes.Find) or last.all or last.backwards or last.range or last.quiet:
        return pattern
    span = layout.outer(last.span, group.content)
    content = Span(pattern.span.offset, span.offset - pattern.span.offset)
    others = tuple(one for one in pattern.others if one != span)
    return replace(pattern, others=others, span=content)


def _path(
    text: str, layout: groups.Layout, home: groups.PatternGroup, node: nodes_paths.Path
) -> Iterator[_Found]:
    """The steps of a path that consists of conditions with any moves between them. Yields nothing for any
    other path."""
    if _is_special(node):
        return
    steps: list[groups.PatternGroup] = []
    gaps: list[Gap] = []
    spans: list[Span] = []
    open_gap: Gap | None = None
    for part in _parts(node.constituents):
        if isinstance(part, Gap):
            if not steps:
                return
            open_gap = part if open_gap is None else _added(open_gap, part)
            continue
        if steps and open_gap is None:
            return
        group = groups.of_condition(layout, part)
        if open_gap is not None:
            between = layout.within(Span(steps[-1].outside.end, group.outside.offset - steps[-1].outside.end))
            gaps.append(open_gap)
            spans.append(between[0].span.to(between[-1].span))
            open_gap = None
        steps.append(group)
    if not steps or open_gap is not None:
        return
    patterns = tuple(reading.read(text, one).pattern for one in steps)
    # Brackets around the path are not a part of the path. They are never removed.
    whole = layout.over(*layout.bare(node.span))
    yield _Found(Sequence("path", patterns, tuple(gaps), whole), home, tuple(steps), tuple(spans))


def _is_special(node: nodes_paths.Path) -> bool:
    """Whether a path has parameters. A row of steps cannot show parameters."""
    asked = (node.range, node.focus, node.max, node.title)
    words = (
        node.singlecolor, node.primary, node.firstmatch, node.lastposition, node.nestban, node.keepallbest,
        node.quiet, node.verbose, node.piecepath,
    )  # fmt: skip
    return any(words) or any(one is not None for one in asked)


def _parts(constituents: tuple[nodes.Node, ...]) -> list[nodes.Node | Gap]:
    """The conditions of a path and the moves between them, in order. Empty if the path names particular
    moves."""
    found: list[nodes.Node | Gap] = []
    for one in constituents:
        gap, step = NEXT_MOVE, one
        if isinstance(one, nodes_paths.Repeat):
            gap, step = Gap(one.low, one.high), one.operand
        if isinstance(step, nodes_paths.Step):
            if not _is_any_move(step.dash) or (step.targets and step is not one):
                return []
            found += [gap, *step.targets]
        elif isinstance(one, (nodes_paths.Repeat, nodes_paths.Chain)):
            return []
        else:
            found.append(one)
    return found


def _is_any_move(dash: nodes_moves.Dash) -> bool:
    return not (dash.capture or dash.left or dash.right or dash.promotion or dash.target)


def _added(one: Gap, other: Gap) -> Gap:
    most = None if one.most is None or other.most is None else one.most + other.most
    return Gap(one.least + other.least, most)


# --- writing ------------------------------------------------------------------------------------------------


def _spelled(gap: Gap) -> str:
    if gap.most is None:
        return {0: "--*", 1: "--+"}.get(gap.least, f"--{{{gap.least},}}")
    if gap.least == gap.most:
        return "--" if gap.most == 1 else f"--{{{gap.most}}}"
    return f"--{{{gap.least},{gap.most}}}"


def _rewritten(
    text: str, caret: int, found: _Found, form: Form, contents: list[str], gaps: list[Gap], step: int
) -> Edit:
    """The edit that writes the sequence again from the text of its steps. The edit is empty if a comment
    between the steps would be lost. The edit is also empty if the new text does not have these steps. For
    example, the new text may have an error because a step needs the variable of an earlier step."""
    if _comments_between(text, found):
        return Edit((), caret)
    home, span = found.home, found.sequence.span
    bracketed = form != "find" and text[home.content.offset : span.offset].strip() != ""
    alone = len(home.filters) == 1 and home.braced and not bracketed
    if not contents:
        written = writing.PLACE_HOLDER
    elif len(contents) == 1:
        written = contents[0] if alone or found.sequence.form == "find" else _braced(contents[0])
    elif form == "path":
        parts = [writing.in_spelling_of(text, "path"), _braced(contents[0])]
        for gap, content in zip(gaps, contents[1:], strict=True):
            parts += [writing.in_spelling_of(text, _spelled(gap)), _braced(content)]
        written = " ".join(parts)
    else:
        contents = [*map(_closed, contents[:-1]), contents[-1]]
        inner = contents[-1]
        for content in reversed(contents[:-1]):
            word = writing.in_spelling_of(text, "find")
            inner = f"{content}{editing.lead(content)}{word} {_braced(inner)}"
        written = inner if alone or found.sequence.form == "find" else _braced(inner)
    if found.sequence.form == "find" and home.chain and not home.braced:
        # Without braces a transform would apply only to the first filter.
        written = _braced(written)
    old = text[span.offset : span.end]
    lead = old[: len(old) - len(old.lstrip())]
    trail = old[len(old.rstrip()) :]
    change = spelling.Change(span.offset + len(lead), span.end - len(trail), written)
    edit = Edit((change,), change.start + len(change.new))
    if not _holds(text, edit, change.start, form, contents, gaps):
        return Edit((), caret)
    if len(contents) > 1:
        return _in_step(text, Edit(edit.changes, change.start), step)
    # The caret stands inside the braces of the remaining step, so that this step is drawn.
    return Edit(edit.changes, edit.caret - written.endswith("}"))


def _holds(text: str, edit: Edit, place: int, form: Form, contents: list[str], gaps: list[Gap]) -> bool:
    """Whether a text has these steps and gaps after an edit. For fewer than two steps, the result says
    whether the text is free of errors."""
    after = edit.applied(text)
    if len(contents) < 2:
        return structure.checked(after).query is not None
    found = sequence_at(after, place)
    if found is None or found.form != form or (form == "path" and list(found.gaps) != gaps):
        return False
    # If a step has nested braces, its span covers only the text in the innermost braces. The texts are
    # therefore compared without the braces around them.
    shown = [after[one.span.offset : one.span.end].strip(_AROUND) for one in found.steps]
    return shown == [one.strip(_AROUND) for one in contents]


_AROUND = " \r\n{}()"


def _in_step(text: str, edit: Edit, step: int) -> Edit:
    """The edit with its caret moved into one of the steps. The caret of `edit` must stand in the sequence."""
    after = sequence_at(edit.applied(text), edit.caret)
    if after is None or step >= len(after.steps):
        return edit
    return Edit(edit.changes, after.steps[step].span.end)


def _closed(content: str) -> str:
    """The filters of a step, changed so that another filter can follow. The last filter gets brackets if the
    following filter would become a part of the last filter, as after a path. Filters that cannot be read
    alone stay as they are."""
    group = groups.body(content)
    trial = groups.body(f"{content}{editing.lead(content)}find {{{writing.PLACE_HOLDER}}}")
    if group is None or not group.filters or (trial and isinstance(trial.filters[-1], nodes.Find)):
        return content
    span = groups.layout(content).outer(group.filters[-1].span)
    return f"{content[: span.offset]}({content[span.offset : span.end]}){content[span.end :]}"


def _comments_between(text: str, found: _Found) -> bool:
    """Whether a sequence has a comment outside all of its steps."""
    span = found.sequence.span
    inside = [step.span for step in found.sequence.steps]
    return any(
        token.kind is tokens.Kind.COMMENT
        and not any(one.offset <= span.offset + token.offset < one.end for one in inside)
        for token in lexer.tokens(text[span.offset : span.end])
    )


def _braced(content: str) -> str:
    return "{" + content + ("\n}" if editing.lead(content) == "\n" else "}")


def _with_caret(text: str, draft: Draft, caret: int, step: int) -> Edit:
    """The edit with the caret in a step."""
    edit = draft.edit(caret)
    after = sequence_at(edit.applied(text), edit.caret) if edit.changes else None
    if after is None or step >= len(after.steps):
        return edit
    return Edit(edit.changes, after.steps[step].span.end)
