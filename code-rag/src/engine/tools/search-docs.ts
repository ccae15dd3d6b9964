import { estimateTokens } from "../limits.ts";
import type { SearchEngine } from "../search/search.ts";
import { search } from "../search/search.ts";

export interface DocPassage {
  readonly path: string;
  /** Headings from the top down: `Guide > Install`. */
  readonly heading: string;
  readonly line: number;
  readonly end_line: number;
  readonly score: number;
  readonly snippet: string;
}

const MAX_PASSAGES = 8;
const SNIPPET_CHARACTERS = 1_200;

/** The best passages of the documentation, at most eight. */
export async function searchDocs(engine: SearchEngine, query: string, repo?: string): Promise<DocPassage[]> {
  const results = await search(engine, {
    query,
    topK: MAX_PASSAGES,
    language: "markdown",
    ...(repo === undefined ? {} : { repo }),
  });
  return results.map((result) => ({
    path: result.path,
    heading: result.symbol,
    line: result.start_line,
    end_line: result.end_line,
    score: result.score,
    snippet: snippetOf(result.source),
  }));
}

function snippetOf(source: string): string {
  const text = source.trim();
  if (estimateTokens(text) * 4 <= SNIPPET_CHARACTERS) return text;
  const cut = text.lastIndexOf("\n", SNIPPET_CHARACTERS);
  return `${text.slice(0, cut > SNIPPET_CHARACTERS / 2 ? cut : SNIPPET_CHARACTERS)}\n…`;
}
