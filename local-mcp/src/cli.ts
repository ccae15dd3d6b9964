/** The command line: which command is meant. Pure. */
import { parseArgs } from "node:util";

export type Command = "bridge" | "doctor" | "login" | "logout" | "help" | "version";

export const HELP = `github-webhook-mcp: GitHub webhook events for AI agents, from your own Worker

Usage: github-webhook-mcp [command]

  (no command)   the MCP server on stdin and stdout, as an MCP client starts it
  login          sign in, and keep the sign-in on this machine
  logout         end the sign-in of this machine
  doctor         check the Worker, the sign-in, the stream and the clock, and say what to do

  --version      print the version
  --help         print this text

Environment:
  WEBHOOK_WORKER_URL        address of your Worker (required)
  WEBHOOK_CHANNEL           0 = no notifications of new events
  WEBHOOK_CHANNEL_TYPES     only these event types, for example issues,pull_request
  WEBHOOK_CHANNEL_REPOS     only these repositories, for example octo/app
  WEBHOOK_CHANNEL_SENDERS   only events of these people
  HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS are honoured.
`;

/** @param args what follows the program's name */
export function commandOf(args: readonly string[]): { command: Command } | { problem: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "v" } },
    });
    if (values.help) return { command: "help" };
    if (values.version) return { command: "version" };
    const [name, ...more] = positionals;
    if (name === undefined) return { command: "bridge" };
    if (more.length === 0 && isCommand(name)) return { command: name };
    return { problem: `There is no command "${positionals.join(" ")}".` };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function isCommand(name: string): name is Command {
  return ["doctor", "login", "logout", "help", "version"].includes(name);
}
