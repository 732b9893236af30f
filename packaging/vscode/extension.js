// Starts the language server of cqlgui for CQL texts. The colours come from the grammar beside this file.

const { commands, window, workspace } = require("vscode");
const { CloseAction, LanguageClient } = require("vscode-languageclient/node");

const NAME = "CQL (chess)";
const SETTING = "chess-cql.server";

let client;
let turn = Promise.resolve();

exports.activate = ({ subscriptions }) => {
  const outputChannel = window.createOutputChannel(NAME);
  // A start waits until the server before it has stopped.
  const restart = () => (turn = turn.then(stop).then(() => start(outputChannel)));
  subscriptions.push(
    outputChannel,
    workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(SETTING) && restart()),
  );
  return restart();
};

exports.deactivate = stop;

// If the server does not begin to work, the library would try five times and show a message for each step.
// None of these messages says what to do.
class Client extends LanguageClient {
  started = false;

  error(message, data, show) {
    super.error(message, data, this.started && show);
  }

  createDefaultErrorHandler(most) {
    const usual = super.createDefaultErrorHandler(most);
    const closed = () => (this.started ? usual.closed() : { action: CloseAction.DoNotRestart });
    return { error: usual.error.bind(usual), closed };
  }
}

async function start(outputChannel) {
  // A setting that is no list is one word.
  const words = [workspace.getConfiguration().get(SETTING)].flat();
  const [command, ...args] = words;
  client = new Client(
    "chess-cql",
    NAME,
    { command, args },
    {
      documentSelector: [{ language: "chess-cql" }],
      outputChannel,
      initializationFailedHandler: () => false,
    },
  );
  await client.start().catch(() => {});
  // The library reports a server that ended at once neither as an error nor as running.
  client.started = client.isRunning();
  if (!client.started) tell(words.join(" "), outputChannel);
}

async function stop() {
  // A client whose server did not start refuses to stop.
  await client?.dispose().catch(() => {});
}

async function tell(command, outputChannel) {
  const [setting, output] = ["Open the Setting", "Show the Output"];
  const chosen = await window.showErrorMessage(
    `The language server of cqlgui did not start: ${command}. The output may say why. ` +
      "If the command is not found, put its whole path into the setting.",
    setting,
    output,
  );
  if (chosen === setting) commands.executeCommand("workbench.action.openSettings", SETTING);
  if (chosen === output) outputChannel.show();
}
