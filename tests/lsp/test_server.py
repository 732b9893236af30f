"""The language server, driven by a client over standard input and output, as an editor does it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed, so there is no language server")

from lsprotocol import types
from pygls import exceptions
from pygls.lsp.client import LanguageClient

import cqlgui
from cqlgui.cli import run
from cqlgui.cql.editing import completing, spelling
from cqlgui.cql.syntax.reading import lexer
from cqlgui.cql.vocabulary import registry
from cqlgui.tasks.asking import queries
from tests import helpers

PATIENCE = 30.0
ASTRAL = "\U0001f600"

_T = TypeVar("_T")


class Editor:
    """A client with a server of its own. Texts have made-up addresses, and no file is written."""

    def __init__(self, home: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self.client = LanguageClient("tests", "1")
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.shown: list[str] = []
        self.news = asyncio.Event()
        self.numbers = itertools.count(1)
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self._publish())
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(self._show())
        words = [sys.executable, "-m", "cqlgui", "lsp", "--stdio"]
        environment = {**os.environ, "CQLGUI_HOME": str(home), "PYTHONPATH": str(helpers.ROOT)}
        self.do(self.client.start_io(*words, env=environment, cwd=str(home)))
        asked = types.InitializeParams(capabilities=types.ClientCapabilities())
        self.capabilities = self.do(self.client.initialize_async(asked)).capabilities
        self.client.initialized(types.InitializedParams())

    def _publish(self) -> Any:
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params
            self.news.set()

        return publish

    def _show(self) -> Any:
        def show(params: types.ShowMessageParams) -> None:
            self.shown.append(params.message)
            self.news.set()

        return show

    def do(self, wanted: Awaitable[_T]) -> _T:
        """Wait for an answer."""
        return self.loop.run_until_complete(asyncio.wait_for(wanted, PATIENCE))

    def end(self) -> int | None:
        """Shut the server down and return its exit code."""
        server = self.client._server
        self.do(self.client.shutdown_async(None))
        self.client.exit(None)
        code = self.do(server.wait())
        self.do(self.client.stop())
        self.loop.close()
        return code

    def open(self, text: str) -> str:
        """Open a text; returns its address."""
        uri = f"untitled:text-{next(self.numbers)}.cql"
        item = types.TextDocumentItem(uri, "chess-cql", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(named(uri)))

    def change(self, uri: str, version: int, *changes: tuple[tuple[int, int], tuple[int, int], str]) -> None:
        """Replace ranges of a text, one after the other."""
        parts = [
            types.TextDocumentContentChangePartial(
                types.Range(types.Position(*start), types.Position(*end)), text
            )
            for start, end, text in changes
        ]
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, parts))

    def problems(self, uri: str, version: int | None = 1) -> list[types.Diagnostic]:
        """The findings that the server publishes for a version of a text."""

        async def wait() -> list[types.Diagnostic]:
            while True:
                found = self.published.get(uri)
                if found is not None and found.version == version:
                    return list(found.diagnostics)
                self.news.clear()
                await self.news.wait()

        return self.do(wait())

    def hover(self, uri: str, line: int, character: int) -> types.Hover | None:
        where = types.Position(line, character)
        return self.do(self.client.text_document_hover_async(types.HoverParams(named(uri), where)))

    def ask(self, method: str, params: Any) -> Any:
        """The answer to a request with any parameters. The client would refuse parameters that make no
        sense, so the message is written here."""
        number, answer = f"own-{next(self.numbers)}", concurrent.futures.Future[Any]()
        content = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        body = json.dumps(content).encode()
        self.client.protocol._request_futures[number] = answer
        self.client.protocol.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

        async def wait() -> Any:
            return await asyncio.wrap_future(answer)

        return self.do(wait())

    def words(self, uri: str, line: int, character: int) -> list[types.CompletionItem]:
        where = types.Position(line, character)
        found = self.do(self.client.text_document_completion_async(types.CompletionParams(named(uri), where)))
        assert isinstance(found, types.CompletionList)
        return list(found.items)


def named(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri)


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    made = Editor(tmp_path_factory.mktemp("editor"))
    yield made
    assert made.end() == 0
    assert made.shown == [], "each test takes the messages that it expects"


def place(text: str, offset: int) -> tuple[int, int]:
    """The position of an offset, found by writing the text before it in UTF-16."""
    lines = re.split(r"\r\n|\r|\n", text[:offset])
    return len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2


def at(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def in_plain(found: Sequence[types.Diagnostic]) -> list[tuple[object, ...]]:
    return [
        (at(one.range.start), at(one.range.end), one.severity, one.code, one.message, one.source)
        for one in found
    ]


def expected(text: str) -> list[tuple[object, ...]]:
    """The findings of the window as the protocol's data."""
    return [
        (
            place(text, one.span.offset),
            place(text, one.span.end),
            types.DiagnosticSeverity.Error if one.severity == "error" else types.DiagnosticSeverity.Warning,
            one.code,
            "\n".join(filter(None, (one.message, one.hint[:1].upper() + one.hint[1:]))),
            "cqlgui",
        )
        for one in queries.findings(text)
    ]


def edited(text: str, edits: Sequence[types.TextEdit]) -> str:
    """A text after changes that were told in UTF-16."""
    offsets = {place(text, offset): offset for offset in range(len(text), -1, -1)}
    for edit in sorted(edits, key=lambda one: at(one.range.start), reverse=True):
        text = text[: offsets[at(edit.range.start)]] + edit.new_text + text[offsets[at(edit.range.end)] :]
    return text


def compare(editor: Editor, texts: list[str]) -> int:
    """Compare the findings of texts with those of the window; returns their number."""
    opened = [(editor.open(text), text) for text in texts]
    count = 0
    for uri, text in opened:
        found = editor.problems(uri)
        assert in_plain(found) == expected(text), text
        editor.close(uri)
        count += len(found)
    return count


def test_the_findings_of_invalid_texts_are_those_of_the_window(editor: Editor, shared: Path) -> None:
    lines = (shared / "conformance" / "invalid.jsonl").read_text(encoding="utf-8").splitlines()
    assert compare(editor, [json.loads(line)["query"] for line in lines]) >= len(lines) > 100


def test_the_findings_of_the_library_are_those_of_the_window(editor: Editor) -> None:
    files = sorted((helpers.ROOT / "resources" / "queries").rglob("*.cql"))
    assert len(files) > 100
    compare(editor, [path.read_text(encoding="utf-8") for path in files])


def test_places_count_utf16_units(editor: Editor) -> None:
    text = f'mate\r\ncomment("{ASTRAL}♞") maet ♞e4'
    uri = editor.open(text)
    (problem,) = editor.problems(uri)
    assert (at(problem.range.start), at(problem.range.end)) == ((1, 15), (1, 19))
    found = editor.hover(uri, 1, 20)
    assert found is not None
    assert found.range is not None
    assert "black knight on e4" in str(found.contents)
    assert (at(found.range.start), at(found.range.end)) == ((1, 20), (1, 23))
    editor.close(uri)


def test_a_key_behind_pgn_has_help_of_its_own(editor: Editor) -> None:
    uri = editor.open("eval = 3\nmate pgn eval > eval")
    found = editor.hover(uri, 1, 10)
    assert found is not None
    assert "hundredths of a pawn" in str(found.contents)
    assert editor.hover(uri, 1, 17) is None
    editor.close(uri)


def test_changes_are_applied_one_after_the_other(editor: Editor) -> None:
    uri = editor.open(f"// {ASTRAL}\u2028 one line\nmaet check")
    assert [one.code for one in editor.problems(uri)] == ["undeclared-name"]
    # The first change splits the comment behind the astral character, the second one mends the word below.
    editor.change(uri, 2, ((0, 5), (0, 5), "\n//"), ((2, 0), (2, 4), "mate"))
    assert editor.problems(uri, 2) == []
    editor.change(uri, 3, ((2, 4), (9, 0), " chekc"))
    (problem,) = editor.problems(uri, 3)
    assert (at(problem.range.start), at(problem.range.end)) == ((2, 5), (2, 10))
    editor.close(uri)


def test_a_closed_text_has_no_findings(editor: Editor) -> None:
    uri = editor.open("maet")
    assert editor.problems(uri)
    editor.close(uri)
    assert editor.problems(uri, None) == []


def test_a_quick_fix_mends_its_finding(editor: Editor) -> None:
    text = f'comment("{ASTRAL}") maet\ncheck'
    uri = editor.open(text)
    (problem,) = editor.problems(uri)
    (fix,) = (one.fix for one in queries.findings(text))
    assert fix is not None

    def actions(
        where: types.Range, only: list[types.CodeActionKind | str] | None = None
    ) -> list[types.CodeAction]:
        context = types.CodeActionContext(diagnostics=[problem], only=only)
        asked = types.CodeActionParams(named(uri), where, context)
        found = editor.do(editor.client.text_document_code_action_async(asked))
        return [one for one in found or () if isinstance(one, types.CodeAction)]

    (action,) = actions(problem.range)
    assert (action.title, action.kind) == (fix.title, types.CodeActionKind.QuickFix)
    assert in_plain(action.diagnostics or ()) == in_plain([problem])
    assert action.edit is not None
    assert action.edit.changes is not None
    assert edited(text, action.edit.changes[uri]) == text.replace("maet", "mate")
    assert actions(problem.range, [types.CodeActionKind.Refactor]) == []
    elsewhere = types.Position(1, 3)
    assert actions(types.Range(elsewhere, elsewhere)) == []
    editor.close(uri)


def test_completions_are_those_of_the_window(editor: Editor) -> None:
    text = "flipper = A\nfl"
    uri = editor.open(text)
    items = editor.words(uri, 1, 2)
    assert [item.label for item in items] == [
        offer.word for offer in completing.offers("fl", lexer.tokens(text))
    ]
    assert [item.sort_text for item in items] == sorted(str(item.sort_text) for item in items)
    labels = [item.label for item in items]
    assert {"flip", "flipcolor", "flipper"} <= set(labels)
    flip = items[labels.index("flip")]
    assert isinstance(flip.text_edit, types.TextEdit)
    assert (at(flip.text_edit.range.start), at(flip.text_edit.range.end)) == ((1, 0), (1, 2))
    row = registry.lookup("flip")
    assert row is not None
    assert flip.detail == row.meaning
    full = editor.do(editor.client.completion_item_resolve_async(flip))
    assert isinstance(full.documentation, types.MarkupContent)
    assert row.example in full.documentation.value
    assert row.meaning[1:] not in full.documentation.value, "the detail says this already"
    editor.close(uri)


@pytest.mark.parametrize(("text", "word"), [("k", "k"), ("b a = R", "b"), ("X = A XY = X\nX", "X")])
def test_a_word_that_is_whole_is_offered_first(editor: Editor, text: str, word: str) -> None:
    """Editors insert the first word at Enter, and somebody who has typed a whole word wants a new line."""
    uri = editor.open(text)
    line = text.count("\n")
    items = editor.words(uri, line, 1)
    others = [offer.word for offer in completing.offers(word, lexer.tokens(text))]
    assert [item.label for item in items] == [word, *others]
    assert isinstance(items[0].text_edit, types.TextEdit)
    assert edited(text, [items[0].text_edit]) == text
    editor.close(uri)


def test_a_word_that_is_just_begun_is_not_offered(editor: Editor) -> None:
    uri = editor.open("XY = A X")
    assert [item.label for item in editor.words(uri, 0, 8)] == ["xray", "XY"]
    editor.close(uri)


def test_there_are_no_completions_in_strings_and_comments(editor: Editor) -> None:
    uri = editor.open('"fl" /* fl */ fl // fl')
    for character, some in ((3, False), (9, False), (16, True), (22, False)):
        assert bool(editor.words(uri, 0, character)) is some
    editor.close(uri)


def test_a_keyword_is_explained(editor: Editor) -> None:
    uri = editor.open("mate")
    found = editor.hover(uri, 0, 1)
    row = registry.lookup("mate")
    assert found is not None
    assert row is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert found.contents.kind is types.MarkupKind.Markdown
    assert row.meaning.rstrip(".") in found.contents.value
    assert all(form in found.contents.value for form in row.forms)
    assert editor.hover(uri, 0, 4) is None
    editor.close(uri)


def test_a_transform_shows_the_elements_of_its_orbit(editor: Editor) -> None:
    text = "mate flipcolor flipvertical Ra1"
    uri = editor.open(text)
    (orbit,) = cqlgui.orbit(text)
    for character in (6, 20):
        found = editor.hover(uri, 0, character)
        assert found is not None
        value = str(found.contents)
        assert "4 elements" in value
        assert all(f"{one.text}    // {one.words}" in value for one in orbit.elements)
    editor.close(uri)


def test_a_transform_alone_is_expanded_for_its_help(editor: Editor) -> None:
    # The orbit of the second line is refused, and so would be the expansion of the whole text.
    uri = editor.open("mate flipvertical Ra1\nshift {Ra1 shift {Kb2 shift Qc3}}")
    assert "`flipvertical` has 2 elements here" in str(editor.hover(uri, 0, 7))
    assert "elements here" not in str(editor.hover(uri, 1, 1))
    editor.close(uri)


def test_a_text_in_a_query_cannot_end_the_block_that_shows_it(editor: Editor) -> None:
    uri = editor.open('flipcolor {Ra1 comment("```")}')
    found = editor.hover(uri, 0, 1)
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    block = found.contents.value.split("elements here:")[1].strip().splitlines()
    assert (block[0], block[-1]) == ("````chess-cql", "````")
    assert sum('comment("```")' in line for line in block) == 2
    editor.close(uri)


def test_many_elements_are_cut(editor: Editor) -> None:
    uri = editor.open("shift Ka1")
    found = editor.hover(uri, 0, 1)
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert "64 elements" in found.contents.value
    assert found.contents.value.endswith("and 48 more")
    editor.close(uri)


@pytest.mark.parametrize(
    "text",
    [
        "mate  \n\n\n\ncheck\n\n",
        f"// {ASTRAL} \u2028\n{ASTRAL}♞ \n  check",
        "mate  \r\n\r\n\r\n\r\ncheck",
        "mate\n",
        "",
    ],
)
def test_a_text_is_tidied(editor: Editor, text: str) -> None:
    uri = editor.open(text)
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)
    asked = types.DocumentFormattingParams(named(uri), options)
    edits = editor.do(editor.client.text_document_formatting_async(asked)) or []
    tidy = spelling.tidied(text)
    assert edited(text, edits) == (tidy.replace("\n", "\r\n") if "\r\n" in text else tidy)
    assert bool(edits) == (text not in ("mate\n", ""))
    editor.close(uri)


def test_symbols_have_their_places(editor: Editor) -> None:
    text = f'"{ASTRAL}" function F(x) {{\n Y = x\n}}\nY = A Z = R\npath --\n Rook = R\n\nF(Y'
    uri = editor.open(text)
    found = editor.do(
        editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(named(uri)))
    )
    symbols = [one for one in found or () if isinstance(one, types.DocumentSymbol)]
    assert [(one.name, one.kind.name, at(one.range.start), at(one.range.end)) for one in symbols] == [
        ("F", "Function", (0, 5), (2, 1)),
        ("Z", "Variable", (3, 6), (3, 11)),
        ("path -- Rook = R", "Event", (4, 0), (5, 9)),
    ]
    assert [[child.name for child in one.children or ()] for one in symbols] == [["Y"], [], ["Rook"]]
    assert at(symbols[0].selection_range.start) == (0, 14)
    editor.close(uri)


def test_brackets_sequences_and_comments_fold(editor: Editor) -> None:
    text = "// one\n// two\ncql()\n{ mate\n  {check}\n}\n/* a\n b */\n(K\n R)\npath\n R\nx"
    uri = editor.open(text)
    found = editor.do(editor.client.text_document_folding_range_async(types.FoldingRangeParams(named(uri))))
    assert [(one.start_line, one.end_line, one.kind) for one in found or ()] == [
        (0, 1, types.FoldingRangeKind.Comment),
        (3, 4, types.FoldingRangeKind.Region),
        (6, 7, types.FoldingRangeKind.Comment),
        (8, 9, types.FoldingRangeKind.Region),
        (10, 12, types.FoldingRangeKind.Region),
    ]
    editor.close(uri)


def test_no_file_is_read(editor: Editor) -> None:
    uri = (helpers.ROOT / "resources" / "queries" / "mates").as_uri()
    some = next((helpers.ROOT / "resources" / "queries").rglob("*.cql")).as_uri()
    for one in (uri, some):
        with pytest.raises(exceptions.JsonRpcException, match="is not open"):
            editor.hover(one, 0, 1)


def test_a_broken_request_is_answered_as_an_error_and_the_server_goes_on(editor: Editor) -> None:
    uri = editor.open("mate")
    text, where = {"uri": uri}, {"line": 0, "character": 1}
    for method, params, fault in (
        ("unknown", {}, exceptions.JsonRpcMethodNotFound),
        ("hover", {"textDocument": text}, exceptions.JsonRpcInvalidParams),
        ("hover", {"textDocument": 3, "position": "here"}, exceptions.JsonRpcInvalidParams),
        ("hover", {"textDocument": text, "position": {"line": -1}}, exceptions.JsonRpcInvalidParams),
        ("hover", {"textDocument": {"uri": "x:"}, "position": where}, exceptions.JsonRpcInvalidParams),
    ):
        with pytest.raises(fault):
            editor.ask(f"textDocument/{method}", params)
    assert editor.hover(uri, 0, 1) is not None
    assert editor.problems(uri) == []
    editor.shown.clear()
    editor.close(uri)


def test_the_server_goes_on_after_a_message_that_is_none(editor: Editor) -> None:
    editor.client.protocol.writer.write(b"Content-Length: 9\r\n\r\nno object")
    assert compare(editor, ["maet"]) == 1
    assert len(editor.shown) >= 1
    editor.shown.clear()


def test_a_change_of_a_text_that_is_not_open_is_passed_over(editor: Editor) -> None:
    editor.change("untitled:unknown.cql", 2, ((0, 0), (0, 0), "x"))
    assert compare(editor, ["maet"]) == 1
    assert editor.shown == []


@pytest.mark.parametrize("body", ["[]", "null", "{}"])
def test_json_that_is_no_message_is_passed_over(body: str) -> None:
    hello = {"processId": None, "rootUri": None, "capabilities": {}}
    sent = messages([(1, "initialize", hello)]).decode()
    sent += f"Content-Length: {len(body)}\r\n\r\n{body}"
    sent += messages([(2, "shutdown", None), (None, "exit", None)]).decode()
    done = helpers.cli("lsp", stdin=sent)
    told = answered(done.out)
    assert [one["id"] for one in told] == [1, 2]
    assert (done.code, done.err) == (0, "")


def test_long_and_odd_texts_are_answered(editor: Editor) -> None:
    long = "x" * (queries.LONGEST_QUERY + 1)
    for text in (long, "{" * 50_000, "\ud83d", "\0" * 500, "flip " * 500 + "mate", '"' * 999):
        uri = editor.open(text)
        shown = editor.problems(uri)
        # Half a surrogate pair counts as one sign that means nothing.
        assert in_plain(shown) == expected(text.replace("\ud83d", "\ufffd"))
        assert editor.do(
            editor.client.text_document_folding_range_async(types.FoldingRangeParams(named(uri)))
        ) in ((), None)
        editor.hover(uri, 0, 0)
        editor.close(uri)


def test_the_editor_learns_what_the_server_can(editor: Editor) -> None:
    can = editor.capabilities
    assert can.position_encoding == types.PositionEncodingKind.Utf16
    assert isinstance(can.text_document_sync, types.TextDocumentSyncOptions)
    assert can.text_document_sync.change is types.TextDocumentSyncKind.Incremental
    assert isinstance(can.code_action_provider, types.CodeActionOptions)
    assert can.code_action_provider.code_action_kinds == (types.CodeActionKind.QuickFix,)


def test_requests_after_a_shutdown_are_refused(tmp_path: Path) -> None:
    late = Editor(tmp_path)
    late.do(late.client.shutdown_async(None))
    for method in ("textDocument/hover", "shutdown", "unknown"):
        with pytest.raises(exceptions.JsonRpcInvalidRequest, match="shutting down"):
            late.ask(method, {})
    server = late.client._server
    late.client.exit(None)
    assert late.do(server.wait()) == 0
    late.do(late.client.stop())
    late.loop.close()


def messages(asked: Sequence[tuple[int | None, str, Any]]) -> bytes:
    """Requests and notifications as an editor sends them."""
    sent = b""
    for number, method, params in asked:
        told = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(told if number is None else told | {"id": number}).encode()
        sent += b"Content-Length: %d\r\n\r\n" % len(body) + body
    return sent


def answered(out: str) -> list[Any]:
    """The messages that a server wrote."""
    return [json.loads(one) for one in re.split(r"Content-Length:.*\r\n.*\r\n\r\n", out)[1:]]


def test_a_server_is_initialized_once_and_before_anything_else() -> None:
    hello = {"processId": None, "rootUri": None, "capabilities": {}}
    item = {"uri": "file:///a.cql", "languageId": "chess-cql", "version": 1, "text": "maet"}
    where = {"textDocument": {"uri": item["uri"]}, "position": {"line": 0, "character": 1}}
    asked: list[tuple[int | None, str, Any]] = [
        (1, "textDocument/hover", where),
        (2, "unknown", {}),
        (3, "shutdown", None),
        (None, "textDocument/didOpen", {"textDocument": item}),
        (4, "initialize", hello),
        (5, "initialize", hello),
        (6, "textDocument/hover", where),
        (7, "shutdown", None),
        (None, "exit", None),
    ]
    done = helpers.cli("lsp", stdin=messages(asked).decode())
    told = answered(done.out)
    errors = {one["id"]: one["error"]["code"] for one in told if "error" in one}
    # The text was opened too early, so it is not open.
    assert errors == {1: -32002, 2: -32002, 3: -32002, 5: -32600, 6: -32602}
    assert [one.get("id") for one in told] == [1, 2, 3, 4, 5, 6, 7]
    assert done.code == 0


def started(stderr: int | None = None) -> subprocess.Popen[bytes]:
    """A server whose input and output are pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "cqlgui", "lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "PYTHONPATH": str(helpers.ROOT)},
    )


def completions(text: str, count: int) -> bytes:
    """The messages that open a text and ask `count` times how it may go on."""
    item = {"uri": "file:///a.cql", "languageId": "chess-cql", "version": 1, "text": text}
    where = {"textDocument": {"uri": item["uri"]}, "position": {"line": 0, "character": len(text)}}
    return messages(
        [
            (1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
            (None, "textDocument/didOpen", {"textDocument": item}),
            *((number, "textDocument/completion", where) for number in range(2, 2 + count)),
        ]
    )


def test_an_editor_that_is_killed_ends_the_server_quietly() -> None:
    with started(stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(completions("ma", 50))
        server.stdin.flush()
        server.stdout.readline()
        server.stdout.close()
        server.stdin.close()
        assert server.stderr.read() == b""
        assert server.wait(60) == 1


def test_a_refused_request_leaves_no_traceback() -> None:
    text = {"uri": "untitled:a"}
    asked: list[tuple[int | None, str, Any]] = [
        (1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
        (2, "textDocument/hover", {"textDocument": text, "position": {"line": 0, "character": 1}}),
        (3, "textDocument/hover", {"x": 1}),
        (4, "shutdown", None),
        (None, "exit", None),
    ]
    with started(stderr=subprocess.PIPE) as server:
        out, err = server.communicate(messages(asked), 60)
    assert b"The text untitled:a is not open." in out
    assert server.returncode == 0
    assert err.decode() == "The text untitled:a is not open.\nInvalid Params\n"


def test_the_server_ends_although_nobody_reads_its_answers() -> None:
    with started() as server:
        assert server.stdin is not None
        try:
            server.stdin.write(completions("p", 200))
            # The answers are more than a pipe holds.
            server.stdin.close()
            assert server.wait(30) == 1
        finally:
            server.kill()


def test_the_server_ends_while_an_answer_is_still_made() -> None:
    # The images of all these lines take more than half a minute.
    text = "shift shift flip {Ra1 Kb2 check}\n" * 1000
    item = {"uri": "file:///a.cql", "languageId": "chess-cql", "version": 1, "text": text}
    where = {"textDocument": {"uri": item["uri"]}, "position": {"line": 0, "character": 1}}
    asked: list[tuple[int | None, str, Any]] = [
        (1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
        (None, "textDocument/didOpen", {"textDocument": item}),
        (2, "textDocument/hover", where),
        (3, "shutdown", None),
        (None, "exit", None),
    ]
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "cqlgui", "lsp"],
        input=messages(asked),
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(helpers.ROOT)},
    )
    assert done.returncode == 0
    assert helpers.TRACEBACK not in done.stderr.decode()
    assert time.monotonic() - begun < 20


def test_an_editor_that_goes_without_a_word_ends_the_server() -> None:
    done = helpers.cli("lsp")
    assert (done.code, done.out, done.err) == (1, "", "")


def test_without_pygls_the_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert run.main(["lsp"]) == 2
    assert "pip install 'cqlgui[lsp]'" in capsys.readouterr().err
