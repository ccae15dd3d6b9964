/**
 * Full text over what people and machines wrote (title, body, repository, sender, branch). Any text is a search:
 * each word is quoted, so that FTS5's query syntax can't be reached, and CJK text, which has no spaces, is indexed
 * and asked character by character.
 */
import type { EventFilter, SearchText } from "@github-webhook-mcp/shared/events.ts";
import type { SearchHit } from "../ports.ts";
import { EVENT_ROW, type LogRow, toEventRow } from "./event-log.ts";
import { repositoryNamed, type ViewerState } from "./pending.ts";
import type { ProcessedRuns } from "./processed.ts";
import { rowFilter } from "./reader.ts";

/** Column weights of bm25: a hit in a title says more than one in a body. */
const WEIGHTS = "10.0, 2.0, 4.0, 3.0, 4.0";
/** Ranked rows that one search looks through for those that the filter wants. */
const ROW_BUDGET = 2_000;
/** Words of a query that are used; what is beyond says little. */
const MAX_WORDS = 24;

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const BEYOND_LATIN = /[\u1100-\uffff]/;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

export class SearchIndex {
  readonly #sql: SqlStorage;
  readonly #runs: ProcessedRuns;

  constructor(sql: SqlStorage, runs: ProcessedRuns) {
    this.#sql = sql;
    this.#runs = runs;
  }

  add(seq: number, text: SearchText): void {
    this.#sql.exec(
      "INSERT INTO search (rowid, title, body, repository, sender, branch) VALUES (?, ?, ?, ?, ?, ?)",
      seq,
      spaceCjk(text.title),
      spaceCjk(text.body),
      text.repository,
      text.sender,
      text.branch,
    );
  }

  /** The best hits among what the viewer sees: all words first, any of them where that finds too little. */
  find(viewer: ViewerState, query: string, filter: EventFilter, limit: number): SearchHit[] {
    const words = queryWords(query);
    if (words.length === 0) return [];
    const hits = this.#match(viewer, words.join(" "), filter, limit);
    if (hits.length === limit || words.length === 1) return hits;
    const found = new Set(hits.map(({ seq }) => seq));
    const more = this.#match(viewer, words.join(" OR "), filter, limit + hits.length).filter(
      ({ seq }) => !found.has(seq),
    );
    // What matched every word stays before what matched some: shift the ranks of the rest behind.
    const worst = hits.at(-1)?.rank ?? Number.NEGATIVE_INFINITY;
    const best = more[0]?.rank ?? 0;
    const shift = Math.max(0, worst - best);
    return [...hits, ...more.map((hit) => ({ ...hit, rank: hit.rank + shift }))].slice(0, limit);
  }

  #match(viewer: ViewerState, match: string, filter: EventFilter, limit: number): SearchHit[] {
    const repo = filter.repo === undefined ? undefined : repositoryNamed(viewer, filter.repo);
    if (repo === null) return [];
    const { clause, params } = viewer.access.visible;
    const matches = rowFilter(filter);
    const hits: SearchHit[] = [];
    const rows = this.#sql
      .exec<LogRow & { rank: number }>(
        `SELECT ${EVENT_ROW}, bm25(search, ${WEIGHTS}) AS rank FROM search JOIN event ON event.seq = search.rowid
         WHERE search MATCH ? AND ${clause} ${repo === undefined ? "" : "AND repo = ?"} ORDER BY rank, event.seq DESC LIMIT ${ROW_BUDGET}`,
        match,
        ...params,
        ...(repo === undefined ? [] : [repo]),
      )
      .toArray();
    for (const row of rows) {
      if (!matches(row)) continue;
      const processed = this.#runs.covering(viewer.userId, row.repo, row.seq) !== null;
      if (processed && !filter.include_processed) continue;
      hits.push({ ...toEventRow(row, processed), rank: row.rank });
      if (hits.length === limit) break;
    }
    return hits;
  }
}

/** FTS5 phrases, one for each word that has a letter or digit. */
function queryWords(query: string): string[] {
  return spaceWords(query)
    .filter((word) => WORD_CHARACTER.test(word))
    .slice(0, MAX_WORDS)
    .map((word) => `"${spaceCjk(word).replaceAll('"', '""').trim()}"`);
}

function spaceWords(text: string): string[] {
  return text.replaceAll("\0", " ").split(/\s+/u);
}

function spaceCjk(text: string): string {
  // Nearly all text is Latin, for which looking up scripts is most of the work.
  if (!BEYOND_LATIN.test(text)) return text;
  return text.replace(CJK, " $& ");
}
