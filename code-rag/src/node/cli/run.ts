import { CodeRagError } from "../errors.ts";
import { ModelError } from "../models/model-error.ts";
import { VERSION } from "../version.ts";
import { type Arguments, parseArguments, USAGE } from "./arguments.ts";

/** Runs the command line and gives the exit code: 0, 1 after one line on stderr, 130 after Ctrl-C. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    return await dispatch(parseArguments(argv, env), env);
  } catch (error) {
    console.error(
      `code-rag: ${error instanceof CodeRagError || error instanceof ModelError ? error.message : unexpected(error)}`,
    );
    return 1;
  }
}

/** Commands are loaded when they run: a search in a terminal has no use for a server. */
async function dispatch(args: Arguments, env: NodeJS.ProcessEnv): Promise<number> {
  switch (args.command) {
    case "index":
      return (await import("./index-command.ts")).indexCommand(args, env);
    case "serve":
      return (await import("./serve-command.ts")).serveCommand(args, env);
    case "search":
      return (await import("./search-command.ts")).searchCommand(args, env);
    case "status":
      return (await import("./status-command.ts")).statusCommand(args);
    case "version":
      console.log(VERSION);
      return 0;
    case "help":
      console.log(USAGE);
      return 0;
  }
}

function unexpected(error: unknown): string {
  return process.env.DEBUG
    ? ((error as Error).stack ?? String(error))
    : `${(error as Error).message ?? error} (DEBUG=1 shows where)`;
}
