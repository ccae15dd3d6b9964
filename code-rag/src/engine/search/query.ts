import { splitIdentifier } from "../tokenize/identifier.ts";
import { isStopWord } from "../tokenize/stop-words.ts";
import { tokens } from "../tokenize/tokens.ts";

/**
 * - `symbol`: one name, written like code (`parseArgs`, `std::vector`, `f.read()`): wants its definition;
 * - `natural`: words, perhaps with names among them.
 */
export type QueryShape = "symbol" | "natural";

export interface Query {
  readonly text: string;
  readonly shape: QueryShape;
  /** Index terms without stop words (with them, where there is nothing else), each once, in order. */
  readonly terms: readonly string[];
  /** Lower-cased words as written, stop words included: what the question says it is about. */
  readonly words: ReadonlySet<string>;
  /** Names in the query: what is written like code, or the last part of a query that is one name. */
  readonly written: readonly string[];
  /** The same, lower-cased and without separators: `parseargs`. */
  readonly names: readonly string[];
}

/** A query has room for this many different terms; a pasted page keeps its first ones. */
const MAX_TERMS = 24;

/** Reads a query. Any text is a query: nothing in it is syntax, and nothing in it is an error. */
export function parseQuery(text: string): Query {
  const all = tokens(text);
  const written = all.map((token) => token.text);
  const kept = all.filter((token) => !isStopWord(token.text.toLowerCase()));
  const terms = new Set((kept.length > 0 ? kept : all).flatMap((token) => token.terms));
  const shape = isSymbol(text, written) ? "symbol" : "natural";
  const named = shape === "symbol" ? written.slice(-1) : written.filter(looksLikeCode);
  const names = named.map((name) => splitIdentifier(name).join(""));
  return {
    text,
    shape,
    terms: [...terms].filter((term) => term.length > 0).slice(0, MAX_TERMS),
    words: new Set(written.map((word) => word.toLowerCase())),
    written: [...new Set(named)],
    names: [...new Set(names)],
  };
}

/** Camel case, snake case or a digit inside: nobody writes prose like that. */
function looksLikeCode(word: string): boolean {
  return /[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]|^_[a-z]/.test(word);
}

/** No spaces, and at least one name: a path of names (`a.b`, `A::b`, `a/b`), a call, a decorator. */
function isSymbol(text: string, written: readonly string[]): boolean {
  const trimmed = text.trim();
  return written.length > 0 && written.length <= 6 && !/\s/.test(trimmed);
}
