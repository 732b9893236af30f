// Talks to a language server with the protocol library of VS Code.
//
//     node vscode_client.js COMMAND WORD... < TEXTS
//
// TEXTS is a JSON list. For each text the answer on standard output has the published diagnostics, the text
// after the first quick fix of each diagnostic, and the text after formatting. Places are offsets that the
// library reckons from the server's ranges.

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const protocol = require("vscode-languageserver-protocol/node");
const { TextDocument } = require("vscode-languageserver-types");

const [command, ...words] = process.argv.slice(2);
const texts = JSON.parse(fs.readFileSync(0, "utf8"));
const server = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
const connection = protocol.createProtocolConnection(
  new protocol.StreamMessageReader(server.stdout),
  new protocol.StreamMessageWriter(server.stdin),
);
const waiting = new Map();
const applied = TextDocument.applyEdits;

connection.onNotification(protocol.PublishDiagnosticsNotification.type, ({ uri, version, diagnostics }) => {
  if (version === 1) waiting.get(uri)(diagnostics);
});

async function answers(text, number) {
  const document = TextDocument.create(`untitled:${number}.cql`, "chess-cql", 1, text);
  const { uri, languageId, version } = document;
  const published = new Promise((resolve) => waiting.set(uri, resolve));
  const opened = { textDocument: { uri, languageId, version, text } };
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, opened);
  const found = [];
  for (const { range, severity, code, message } of await published) {
    const asked = { textDocument: { uri }, range, context: { diagnostics: [] } };
    const [action] = await connection.sendRequest(protocol.CodeActionRequest.type, asked);
    const place = [document.offsetAt(range.start), document.offsetAt(range.end)];
    const mended = action ? applied(document, action.edit.changes[uri]) : null;
    found.push({ place, severity, code, message, mended });
  }
  const options = { textDocument: { uri }, options: { tabSize: 2, insertSpaces: true } };
  const edits = await connection.sendRequest(protocol.DocumentFormattingRequest.type, options);
  await connection.sendNotification(protocol.DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  return { found, formatted: applied(document, edits ?? []) };
}

async function main() {
  connection.listen();
  const asked = { processId: process.pid, rootUri: null, capabilities: {} };
  const { serverInfo } = await connection.sendRequest(protocol.InitializeRequest.type, asked);
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const found = [];
  for (const [number, text] of texts.entries()) found.push(await answers(text, number));
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  process.stdout.write(JSON.stringify({ name: serverInfo.name, found, code: await ended }));
}

main();
