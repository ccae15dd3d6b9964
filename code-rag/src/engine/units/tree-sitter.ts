/**
 * `ParsePort` over web-tree-sitter, for every host: the host calls `Parser.init` in its own way and hands over
 * a function that gives a `Language`. Trees and cursors live inside one call and are deleted before it returns.
 */

import { type Language, Parser, Query, type Tree } from "web-tree-sitter";
import type { Grammar } from "./languages.ts";
import type { Capture, MatchRequest, MatchResult, ParsePort } from "./parse-port.ts";

/** tree-sitter reports progress every 100 parser operations. Files of public
 * repositories in 16 languages measure 4 to 35 reports for each 1,000 characters. */
const REPORTS_PER_THOUSAND_CHARACTERS = 100;
const REPORTS_AT_LEAST = 2_000;

/**
 * How much text the parser is handed at a time. Some lexers ask for the same place again and again (Scala's for nearly
 * every token), and each time the whole piece is copied into wasm memory: with the binding's own 5,119 characters that
 * was two thirds of the time that Scala took.
 */
const PIECE_CHARACTERS = 512;

/** @param languageOf loads a grammar, on its first use only. */
export function createTreeSitterPort(languageOf: (grammar: Grammar) => Language): ParsePort {
  const parser = new Parser();
  const languages = new Map<Grammar, Language>();
  const queries = new Map<string, Query>();

  function language(grammar: Grammar): Language {
    const known = languages.get(grammar);
    if (known) return known;
    const loaded = languageOf(grammar);
    languages.set(grammar, loaded);
    return loaded;
  }

  function compiled(grammar: Grammar, source: string): Query {
    const key = `${grammar}\n${source}`;
    const known = queries.get(key);
    if (known) return known;
    const query = new Query(language(grammar), source);
    queries.set(key, query);
    return query;
  }

  function parse(text: string): Tree | null {
    const allowed = Math.max(REPORTS_AT_LEAST, (text.length / 1_000) * REPORTS_PER_THOUSAND_CHARACTERS);
    let reports = 0;
    const tree = parser.parse((at) => pieceAt(text, at), null, {
      // Returning true stops the parser; the declared type says `void`.
      progressCallback: () => ++reports > allowed,
    });
    if (!tree) parser.reset();
    return tree;
  }

  return {
    match(request: MatchRequest): MatchResult | undefined {
      const query = compiled(request.grammar, request.query);
      parser.setLanguage(language(request.grammar));
      const tree = parse(request.text);
      if (!tree) return undefined;
      try {
        const root = tree.rootNode;
        return { matches: query.matches(root).map(({ captures }) => captures.map(toCapture)), hasError: root.hasError };
      } finally {
        tree.delete();
      }
    },
  };
}

/** Never ends within a surrogate pair, which the parser would take for two characters. */
function pieceAt(text: string, start: number): string {
  const end = start + PIECE_CHARACTERS;
  const last = text.charCodeAt(end - 1);
  return text.slice(start, last >= 0xd800 && last <= 0xdbff ? end + 1 : end);
}

function toCapture({ name, node }: { name: string; node: { startIndex: number; endIndex: number } }): Capture {
  return { name, start: node.startIndex, end: node.endIndex };
}
