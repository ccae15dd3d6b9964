import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { VectorIndex } from "../engine/embedding/vector-index.ts";
import type { Embedder } from "../engine/ports.ts";
import { fileExaminer } from "../engine/prepare/examine.ts";
import { rankedUnits, type SearchEngine } from "../engine/search/search.ts";
import { migrate } from "../engine/store/migrate.ts";
import { ensureRoot } from "../engine/store/roots.ts";
import { embedMissing } from "../engine/sync/embed-missing.ts";
import { syncRoot } from "../engine/sync/sync-root.ts";
import { extractUnits } from "../engine/units/extract.ts";
import type { FileUnits } from "../engine/units/unit.ts";
import { builtInEmbedder } from "./host/built-in-embedder.ts";
import { sha256 } from "./host/digest.ts";
import { createNodePort } from "./parse/node-port.ts";
import { NodeSqlite } from "./sqlite/node-sqlite.ts";

/** An installed package with its sources and their comments. */
const PACKAGE = join(dirname(createRequire(import.meta.url).resolve("@anthropic-ai/sdk")), "src");
const QUERIES = 120;

interface Question {
  readonly sentence: string;
  readonly path: string;
  readonly symbol: string;
}

/** The same units without their doc comments: what a question asks for must be found by the code. */
function withoutDocs(file: FileUnits): FileUnits {
  return {
    ...file,
    units: file.units.map((unit) => ({
      ...unit,
      doc: "",
      windows: unit.windows.map((window) => ({ ...window, text: window.text.replace(/\/\*\*[\s\S]*?\*\//g, "") })),
    })),
  };
}

async function index() {
  const port = await createNodePort();
  const paths = readdirSync(PACKAGE, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
    .sort();
  const questions: Question[] = [];
  const sql = NodeSqlite.inMemory();
  migrate(sql);
  await syncRoot({
    sql,
    rootId: ensureRoot(sql, { location: PACKAGE, name: "sdk" }).id,
    files: paths.map((path) => ({ path, size: 0, modifiedMs: 0 })),
    examine: fileExaminer({
      read: async ({ path }) => ({ text: readFileSync(join(PACKAGE, path), "utf8") }),
      extract: async (file) => {
        const units = extractUnits(file, port);
        for (const unit of units.units) {
          const sentence = /^[A-Z][^.@]{30,200}\./.exec(unit.doc.replace(/\s+/g, " "))?.[0];
          if (sentence && /^(?:function|method)$/.test(unit.kind))
            questions.push({ sentence, path: file.path, symbol: unit.symbol });
        }
        return withoutDocs(units);
      },
      digest: sha256,
    }),
    extractorId: "1",
    concurrency: 1,
    now: () => 100_000,
  });
  const once = questions.filter(
    (question) => questions.filter((other) => other.sentence === question.sentence).length === 1,
  );
  return { sql, questions: once.slice(0, QUERIES) };
}

/** Mean reciprocal rank of the first right answer among ten. */
function reciprocal(position: number): number {
  return position < 0 ? 0 : 1 / (position + 1);
}

function plainRanks(sql: NodeSqlite, questions: readonly Question[]): number[] {
  const plain = NodeSqlite.inMemory();
  plain.all("CREATE VIRTUAL TABLE t USING fts5(text)");
  const chunks = sql.all<{ id: number; text: string; path: string; symbol: string }>(
    "SELECT c.id, c.text, f.path, u.symbol FROM chunks c JOIN units u ON u.id = c.unit_id JOIN files f ON f.id = c.file_id",
  );
  for (const chunk of chunks) plain.all("INSERT INTO t (rowid, text) VALUES (?, ?)", chunk.id, chunk.text);
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  return questions.map(({ sentence, path, symbol }) => {
    const match = (sentence.match(/\w+/g) ?? []).map((word) => `"${word}"`).join(" OR ");
    const rows = plain.all<{ rowid: number }>("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", match);
    return reciprocal(
      rows.findIndex(({ rowid }) => byId.get(rowid)?.path === path && byId.get(rowid)?.symbol === symbol),
    );
  });
}

async function ownRanks(engine: SearchEngine, questions: readonly Question[]): Promise<number[]> {
  const ranks: number[] = [];
  for (const { sentence, path, symbol } of questions) {
    const results = (await rankedUnits(engine, { query: sentence })).slice(0, 10);
    ranks.push(
      reciprocal(results.findIndex(({ candidate }) => candidate.path === path && candidate.symbol === symbol)),
    );
  }
  return ranks;
}

describe("a sentence of documentation finds the function that it was written for", () => {
  it("by words better than plain FTS5, and with the trained table better still, on an installed package whose comments are taken out", async () => {
    const { sql, questions } = await index();
    expect(questions.length).toBeGreaterThan(40);
    const embedder = builtInEmbedder() as Embedder;
    await embedMissing(sql, embedder);
    const semantic = { embedder, vectors: new VectorIndex(sql, embedder.dimensions) };
    const [byWords, byMeaning, plain] = [
      await ownRanks({ sql }, questions),
      await ownRanks({ sql, semantic }, questions),
      plainRanks(sql, questions),
    ].map((ranks) => ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length) as [number, number, number];
    sql.close();
    console.log(
      `docstring → function, ${questions.length} questions: MRR@10 ${byMeaning.toFixed(3)}, without vectors ${byWords.toFixed(3)}, plain FTS5 ${plain.toFixed(3)}`,
    );
    // Below what was measured (0.41, 0.28, 0.18), so that a dependency's new version does not fail it.
    expect(byWords).toBeGreaterThan(plain * 1.2);
    expect(byMeaning).toBeGreaterThan(byWords * 1.15);
  }, 120_000);
});
