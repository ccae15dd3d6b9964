import { resolve } from "node:path";
import { type SearchResult, search } from "../../engine/search/search.ts";
import { unfinishedNotice } from "../../engine/store/roots.ts";
import { CodeRagError } from "../errors.ts";
import { openExistingIndex, searchEngine } from "../host/open-index.ts";
import { createEmbedder } from "../models/create-embedder.ts";
import { modelSettings } from "../models/settings.ts";
import type { Arguments } from "./arguments.ts";
import { type Colours, coloursFor, printable } from "./colour.ts";

const SHOWN_LINES = 8;

/** `code-rag search`: results for a person, or as JSON. */
export async function searchCommand(args: Arguments, env: NodeJS.ProcessEnv): Promise<number> {
  const query = args.operands.join(" ").trim();
  if (query === "") throw new CodeRagError("usage", 'Nothing to search for. Usage: code-rag search "query"');
  const database = resolve(args.db ?? "index.db");
  const sql = openExistingIndex(database);
  try {
    const engine = searchEngine(sql, await createEmbedder(modelSettings(args, env), env));
    const results = await search(engine, { query, ...(args.topK === undefined ? {} : { topK: args.topK }) });
    const unfinished = unfinishedNotice(sql);
    if (unfinished) console.error(`${capitalized(unfinished)}. Go on with: code-rag index --db ${database}`);
    if (args.json) console.log(JSON.stringify(results.map(forScripts)));
    else if (results.length === 0) console.error(unfinished ? "No results so far." : "No results.");
    else console.log(results.map((result) => forPeople(result, coloursFor(process.stdout, env))).join("\n\n"));
    return 0;
  } finally {
    sql.close();
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function forScripts({ path, start_line, end_line, symbol, kind, score }: SearchResult) {
  return { path, start_line, end_line, symbol, kind, score };
}

function forPeople(result: SearchResult, colours: Colours): string {
  const lines = result.source
    .replace(/^(?:\s*\n)+/, "")
    .trimEnd()
    .split("\n");
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `    ${colours.faint(printable(line.slice(0, 160)))}`);
  const more = lines.length > SHOWN_LINES ? [`    ${colours.faint("…")}`] : [];
  const head = `${colours.path(printable(`${result.path}:${result.start_line}`))} ${result.kind} ${colours.name(printable(result.symbol))}`;
  return [head.trimEnd(), ...shown, ...more].join("\n");
}
