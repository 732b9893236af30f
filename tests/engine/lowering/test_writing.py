"""What is told of queries themselves, against the interpreter's closures."""

from __future__ import annotations

import pytest

from cqlgui.cql.ast import nodes, nodes_strings
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import compilers
from cqlgui.cql.transforming import transforms
from cqlgui.engine.lowering import dispatch, writing
from tests.helpers import crossing


@pytest.mark.parametrize("text", crossing.known_texts())
def test_what_is_said_of_a_query_without_its_closures_is_what_they_say(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = check.check(text)
    if checked.query is None:
        return
    expanded = transforms.expand(checked)
    if expanded.query is None:
        return
    comments = writing.of(expanded, matches=False).comments
    monkeypatch.setattr(writing, "_SILENT", ())
    assert writing.of(expanded, matches=False).comments == comments
    made = compilers.compiler(expanded.names)
    made.compile(expanded.query.body)
    shared = {name for name, local in made.dictionaries.items() if not local}
    assert dispatch.lasting_names(expanded.query.body) == {*made.persistent, *shared}
    listed = list(nodes.walk(expanded.query.body))
    files = nodes_strings.ReadFile | nodes_strings.WriteFile
    assert bool(made.files) == any(isinstance(node, files) for node in listed)
    assert bool(made.atomics) == any(isinstance(node, nodes.Assign) and node.atomic for node in listed)
