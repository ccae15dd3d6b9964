/** What the extractor asks of a parser: one query over one text. No tree crosses this line, so none can leak. */

import type { Grammar } from "./languages.ts";
import type { Span } from "./unit.ts";

/** A captured node: the query's capture name, and its range in UTF-16 offsets. */
export interface Capture extends Span {
  readonly name: string;
}

/** One match of one pattern: its captures in document order. */
export type Match = readonly Capture[];

export interface MatchRequest {
  readonly grammar: Grammar;
  /** A tree-sitter query. Compiled once for each distinct text. */
  readonly query: string;
  readonly text: string;
}

export interface MatchResult {
  readonly matches: readonly Match[];
  /** The tree has an ERROR or MISSING node. */
  readonly hasError: boolean;
}

export interface ParsePort {
  /**
   * Parses and queries. `undefined` if the text took more than its share of parser steps (a share by length, so that
   * the same file is cut off on every machine, or on none).
   * @throws if the grammar is not there or crashes; the port must then be thrown away (wasm memory may be damaged).
   */
  match(request: MatchRequest): MatchResult | undefined;
}
