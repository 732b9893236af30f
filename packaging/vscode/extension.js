// Starts the language server of cqlgui for CQL texts. The colours come from the grammar beside this file.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const [command, ...args] = workspace.getConfiguration("chess-cql").get("server");
  client = new LanguageClient(
    "chess-cql",
    "CQL (chess)",
    { command, args },
    { documentSelector: [{ language: "chess-cql" }] },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
