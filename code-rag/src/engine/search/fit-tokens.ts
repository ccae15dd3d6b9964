import { clamp, estimateTokens } from "../limits.ts";
import type { SearchResult } from "./search.ts";

/** Enough for five ordinary functions; a large answer costs a reader more than a second question. */
export const DEFAULT_MAX_TOKENS = 6_000;
const MAX_TOKENS = 50_000;
/** Tokens of a result besides its source. */
const OVERHEAD = 60;

/**
 * Cuts the sources of results to a token budget: every result keeps its place and lines, and the budget is shared so
 * that the first results get most of what they need.
 */
export function fitTokens(results: readonly SearchResult[], maxTokens: number | undefined): SearchResult[] {
  let left = clamp(maxTokens, 100, MAX_TOKENS, DEFAULT_MAX_TOKENS) - results.length * OVERHEAD;
  return results.map((result, index) => {
    const others = results.length - index - 1;
    const share = Math.max(0, Math.max(left / 2, left / (others + 1)));
    const source = cut(result.source, Math.floor(share));
    left -= estimateTokens(source);
    return { ...result, source };
  });
}

function cut(source: string, tokens: number): string {
  if (estimateTokens(source) <= tokens) return source;
  const characters = tokens * 4;
  if (characters < 40) return "";
  const line = source.lastIndexOf("\n", characters);
  return `${source.slice(0, line > characters / 2 ? line : characters)}\n… (cut: read_source shows the rest)`;
}
