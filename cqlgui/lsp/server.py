"""The server: keeps the texts that the editor has open, publishes their findings, and answers requests.

Messages are handled one after the other on the event loop. Everything that takes time runs in threads, on a
version of the text that never changes. If a request fails, the editor gets an error and the server goes on.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable
from concurrent import futures
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls import exceptions
from pygls import server as pygls_server
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, json_rpc

from cqlgui import __version__
from cqlgui.lsp import answers
from cqlgui.lsp.documents import Document

_PAUSE = 0.1  # seconds without a check after a change, because more changes often follow
_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")


class _Refusals(logging.Filter):
    """Leaves one line in the log of a request that was refused. pygls adds a traceback, as for a bug."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten the record. A record that only repeats the fault of the next record is not kept."""
        if record.msg.startswith("Unable to deserialize message"):
            return False
        fault = record.exc_info[1] if record.exc_info else None
        if isinstance(fault, exceptions.JsonRpcException):
            record.msg, record.args, record.exc_info = str(fault), (), None
        return True


_REFUSALS = _Refusals()


class _Protocol(LanguageServerProtocol):
    """Answers also the requests that pygls leaves unanswered, or answers although it may not: requests with
    parameters that make no sense, before the editor has initialized the server, and after it has asked the
    server to shut down (LSP 3.17, Lifecycle Messages)."""

    _begun = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The typed message of a JSON object."""
        try:
            return super().structure_message(data)
        except exceptions.JsonRpcException as error:
            if "id" in data and "method" in data:
                refusal = self._refusal(data["method"]) or error
                self._send_response(data["id"], error=refusal.to_response_error())
            raise

    def handle_message(self, message: Any) -> None:
        """Handle a message, or refuse it. A refused notification gets no answer. JSON that is no message is
        passed over; so is a change of a text that is not open, because pygls would show the user an error for
        each letter."""
        if not hasattr(message, "jsonrpc"):
            _log.warning("the editor sent JSON that is no message of JSON-RPC 2.0")
            return
        method = getattr(message, "method", None)
        refusal = None if method is None else self._refusal(method)
        if refusal is not None:
            if hasattr(message, "id"):
                self._send_response(message.id, error=refusal.to_response_error())
        elif method != types.TEXT_DOCUMENT_DID_CHANGE or self._is_open(message.params.text_document.uri):
            self._begun = self._begun or method == types.INITIALIZE
            super().handle_message(message)

    def _is_open(self, uri: str) -> bool:
        assert isinstance(self._server, Server)
        return uri in self._server.documents

    def _refusal(self, method: str) -> exceptions.JsonRpcException | None:
        """Why a method may not be called now; None if it may."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return exceptions.JsonRpcInvalidRequest("The server is shutting down.")
        if self._begun and method == types.INITIALIZE:
            return exceptions.JsonRpcInvalidRequest("The server is initialized already.")
        if not self._begun and method != types.INITIALIZE:
            return exceptions.JsonRpcServerNotInitialized("The server is not initialized.")
        return None


class Server(LanguageServer):
    """The server of one editor. `documents` maps the URI of each open text to its last version. `finished`
    says whether the editor has asked the server to shut down. `threads` find the answers."""

    def __init__(self) -> None:
        super().__init__("cqlgui", __version__, protocol_cls=_Protocol)
        # pygls keeps the texts too. But it also ends lines at signs that end no line in LSP, and it reads a
        # file if a text is not open.
        self.documents: dict[str, Document] = {}
        self.finished = False
        self.threads = futures.ThreadPoolExecutor()
        self._checks: dict[str, asyncio.Task[None]] = {}

    def document(self, uri: str) -> Document:
        """The last version of an open text; raises an error that the editor gets as the answer."""
        found = self.documents.get(uri)
        if found is None:
            raise exceptions.JsonRpcInvalidParams(f"The text {uri} is not open.")
        return found

    async def answer(self, uri: str, question: Callable[[Document], _Answer]) -> _Answer:
        """The answer to a question about the last version of a text, found in a thread."""
        return await self._in_thread(question, self.document(uri))

    def _in_thread(self, function: Callable[..., _Answer], *arguments: object) -> asyncio.Future[_Answer]:
        # The threads of asyncio itself would be awaited at the end, whatever they work on.
        call = functools.partial(function, *arguments)
        return asyncio.get_running_loop().run_in_executor(self.threads, call)

    def check(self, uri: str, pause: float) -> None:
        """Publish the findings of a text after `pause` seconds. A text that changes meanwhile is checked
        again, and only the last version's findings are published."""
        if uri not in self._checks:
            self._checks[uri] = asyncio.get_running_loop().create_task(self._check(uri, pause))

    async def _check(self, uri: str, pause: float) -> None:
        try:
            while True:
                await asyncio.sleep(pause)
                document = self.documents.get(uri)
                if document is None:
                    return
                found = await self._in_thread(answers.problems, document)
                if self.documents.get(uri) is document:
                    self.publish(uri, document.version, found)
                    return
                pause = _PAUSE
        except Exception as error:
            # A bug. The editor is told, because no request waits for this answer.
            _log.exception("the check of a text failed")
            message = f"cqlgui could not check this text: {type(error).__name__}"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))
        finally:
            del self._checks[uri]

    def publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        """Send the findings of a text to the editor."""
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=version)
        )


def serve(source: BinaryIO, target: BinaryIO) -> bool:
    """Talk to an editor over two streams until it sends `exit` or closes its stream. Returns whether the
    editor asked for a shutdown first, as LSP demands. `target` is closed at the end."""
    server = Server()
    for module in (json_rpc, pygls_server):
        logging.getLogger(module.__name__).addFilter(_REFUSALS)
    for name, handler, options in _HANDLERS:
        server.feature(name, options)(handler)
    try:
        server.start_io(source, target)
    finally:
        server.threads.shutdown(wait=False, cancel_futures=True)
    return server.finished


def _open(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    opened = params.text_document
    encoding = server.workspace.position_encoding or types.PositionEncodingKind.Utf16
    server.documents[opened.uri] = Document(
        opened.uri, opened.version, opened.text, getattr(encoding, "value", encoding)
    )
    server.check(opened.uri, 0)


def _change(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    named = params.text_document
    server.documents[named.uri] = server.document(named.uri).changed(named.version, params.content_changes)
    server.check(named.uri, _PAUSE)


def _close(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    server.documents.pop(params.text_document.uri, None)
    server.publish(params.text_document.uri, None, [])


def _shut_down(server: Server, _params: None) -> None:
    server.finished = True


async def _fixes(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    where, only = params.range, params.context.only
    return await server.answer(params.text_document.uri, lambda one: answers.fixes(one, where, only))


async def _completions(server: Server, params: types.CompletionParams) -> types.CompletionList:
    where = params.position
    return await server.answer(params.text_document.uri, lambda one: answers.completions(one, where))


def _resolved(server: Server, item: types.CompletionItem) -> types.CompletionItem:
    return answers.resolved(item)


async def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    where = params.position
    return await server.answer(params.text_document.uri, lambda one: answers.hover(one, where))


async def _formatted(server: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    return await server.answer(params.text_document.uri, answers.formatted)


async def _symbols(server: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    return await server.answer(params.text_document.uri, answers.symbols)


async def _folds(server: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    return await server.answer(params.text_document.uri, answers.folds)


_HANDLERS = (
    (types.TEXT_DOCUMENT_DID_OPEN, _open, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, _change, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, _close, None),
    (types.SHUTDOWN, _shut_down, None),
    (types.TEXT_DOCUMENT_CODE_ACTION, _fixes, types.CodeActionOptions([types.CodeActionKind.QuickFix])),
    (types.TEXT_DOCUMENT_COMPLETION, _completions, types.CompletionOptions(resolve_provider=True)),
    (types.COMPLETION_ITEM_RESOLVE, _resolved, None),
    (types.TEXT_DOCUMENT_HOVER, _hover, None),
    (types.TEXT_DOCUMENT_FORMATTING, _formatted, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _symbols, None),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, _folds, None),
)
