import { parseArgs } from "node:util";
import { CodeRagError } from "../errors.ts";

export type Command = "index" | "serve" | "search" | "status" | "help" | "version";

export interface Arguments {
  readonly command: Command;
  /** Paths and URLs, or the words of a query. */
  readonly operands: readonly string[];
  readonly db: string | undefined;
  readonly reindex: boolean;
  readonly embedModel: string | undefined;
  readonly summarizer: string | undefined;
  readonly ollamaModel: string | undefined;
  readonly ollamaHost: string | undefined;
  readonly http: boolean;
  readonly port: number;
  readonly repo: string | undefined;
  readonly ref: string | undefined;
  readonly cache: string | undefined;
  readonly json: boolean;
  readonly topK: number | undefined;
}

const COMMANDS: readonly Command[] = ["index", "serve", "search", "status", "help", "version"];
const DEFAULT_PORT = 7332;

export const USAGE = `code-rag: code and documentation search for agents, no API key needed

  code-rag index [PATH|GIT-URL …]   build or update an index (default: .)
  code-rag serve [PATH|GIT-URL …]   MCP server on stdio; indexes meanwhile
  code-rag search "query"           search from the terminal
  code-rag status                   what the index holds
  code-rag PATH…                    the same as serve PATH…

  --db PATH              index file (default: ./index.db; serve PATH: one in the cache directory)
  --reindex              make all vectors anew; summaries are kept
  --embed-model MODEL    built-in (default), none, openai:MODEL, ollama:MODEL
  --summarizer NAME      none, anthropic, ollama, openai (default: none, unless a key or host is configured)
  --ollama-model MODEL   --ollama-host HOST
  --http  --port N       serve Streamable HTTP on 127.0.0.1 (default port: ${DEFAULT_PORT})
  --repo URL  --ref REF  --cache DIR   clone a repository, index and serve it
  --top-k N              results of search (1 to 20, default 5)
  --json                 machine-readable output of search, status and index

Environment: REPO_RAG_URL, REPO_RAG_REF, REPO_RAG_CACHE, ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_BASE_URL,
OPENROUTER_API_KEY, DEEPSEEK_API_KEY, OLLAMA_HOST, CODE_RAG_MODEL, CODE_RAG_SUMMARY_BUDGET, CODE_RAG_GIT_SCHEMES,
CODE_RAG_GIT_HOSTS, NO_COLOR`;

/** Reads the command line. Throws a one-line `usage` error for what it does not know. */
export function parseArguments(argv: readonly string[], env: NodeJS.ProcessEnv): Arguments {
  const { values, positionals } = parse(argv);
  if (values.help) return toArguments("help", [], values, env);
  if (values.version) return toArguments("version", [], values, env);
  const [first, ...rest] = positionals;
  const command = COMMANDS.find((name) => name === first);
  if (command) return toArguments(command, rest, values, env);
  // A path without a command is served; nothing at all, or options alone, needs a repository from --repo.
  if (first === undefined && !(values.repo ?? env.REPO_RAG_URL)) return toArguments("help", [], values, env);
  return toArguments("serve", positionals, values, env);
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        db: { type: "string" },
        reindex: { type: "boolean" },
        "embed-model": { type: "string" },
        summarizer: { type: "string" },
        "ollama-model": { type: "string" },
        "ollama-host": { type: "string" },
        http: { type: "boolean" },
        port: { type: "string" },
        repo: { type: "string" },
        ref: { type: "string" },
        cache: { type: "string" },
        json: { type: "boolean" },
        "top-k": { type: "string" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new CodeRagError(
      "usage",
      `${(error as Error).message.split(/\. |\n/)[0]?.replace(/\.$/, "")}. See code-rag --help.`,
    );
  }
}

function toArguments(
  command: Command,
  operands: readonly string[],
  values: ReturnType<typeof parse>["values"],
  env: NodeJS.ProcessEnv,
): Arguments {
  return {
    command,
    operands,
    db: values.db,
    reindex: values.reindex ?? false,
    embedModel: values["embed-model"],
    summarizer: values.summarizer,
    ollamaModel: values["ollama-model"],
    ollamaHost: values["ollama-host"],
    http: values.http ?? false,
    port: wholeNumber("--port", values.port, 0, 65_535) ?? DEFAULT_PORT,
    repo: values.repo ?? (command === "serve" ? env.REPO_RAG_URL || undefined : undefined),
    ref: values.ref ?? (env.REPO_RAG_REF || undefined),
    cache: values.cache ?? (env.REPO_RAG_CACHE || undefined),
    json: values.json ?? false,
    topK: wholeNumber("--top-k", values["top-k"], Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  };
}

function wholeNumber(option: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new CodeRagError("usage", `${option} must be a whole number, not "${text}".`);
  return value;
}
