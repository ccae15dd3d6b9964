/**
 * What the engine guarantees on every host. A host's test file calls `engineConformance` with its SQLite driver and its
 * parser; the cases are the same everywhere.
 */

import { describe, expect, it } from "vitest";
import { VectorIndex } from "../embedding/vector-index.ts";
import type { Digest, Embedder, SqlDriver } from "../ports.ts";
import { fileExaminer, type ListedFile } from "../prepare/examine.ts";
import { type SearchEngine, search } from "../search/search.ts";
import { mergeIndexes } from "../store/merge-indexes.ts";
import { migrate } from "../store/migrate.ts";
import { ensureRoot } from "../store/roots.ts";
import { embedMissing } from "../sync/embed-missing.ts";
import { syncRoot } from "../sync/sync-root.ts";
import { findReferences } from "../tools/references.ts";
import { repoMap } from "../tools/repo-map.ts";
import { searchCode } from "../tools/search-code.ts";
import type { UnitExtractor } from "../units/unit.ts";
import { FIXTURE } from "./fixture.ts";
import { hashingEmbedder } from "./hashing-embedder.ts";

export interface ConformanceHost {
  /** Runs a case with an empty database. */
  withDriver(run: (sql: SqlDriver) => Promise<void>): Promise<void>;
  readonly extract: UnitExtractor;
  readonly digest: Digest;
}

export function engineConformance(host: ConformanceHost): void {
  const withIndex = (run: (index: TestIndex) => Promise<void>) => () =>
    host.withDriver(async (sql) => {
      migrate(sql);
      const index = new TestIndex(sql, host);
      await index.sync(FIXTURE);
      await run(index);
    });

  describe("migrations", () => {
    it("may run any number of times", () =>
      host.withDriver(async (sql) => {
        migrate(sql);
        migrate(sql);
        expect(sql.all("SELECT * FROM roots")).toEqual([]);
      }));

    it("refuse a database of a newer release", () =>
      host.withDriver(async (sql) => {
        migrate(sql);
        sql.all("INSERT INTO migrations (id) VALUES (999)");
        expect(() => migrate(sql)).toThrow(/newer release/);
      }));
  });

  describe("merging the word indexes", () => {
    it(
      "leaves one segment of each, and what they say",
      withIndex(async (index) => {
        const segments = () =>
          index.sql.all<{ n: number }>("SELECT count(DISTINCT segid) AS n FROM chunk_fts_idx")[0]?.n ?? 0;
        // A query writes out what was committed before it, as a segment.
        await index.search("later");
        await index.sync({ ...FIXTURE, "later.py": "def later():\n    return FIXTURE\n" });
        const before = index.dump();
        expect(segments()).toBeGreaterThan(1);
        mergeIndexes(index.sql);
        expect(segments()).toBe(1);
        expect(index.dump()).toEqual(before);
        expect(await index.search("later")).toMatchObject([{ path: "later.py", symbol: "later" }]);
      }),
    );
  });

  describe("sync", () => {
    it(
      "costs nothing where nothing changed",
      withIndex(async (index) => {
        const before = index.dump();
        expect(await index.sync(FIXTURE)).toEqual({
          added: 0,
          updated: 0,
          removed: 0,
          unchanged: Object.keys(FIXTURE).length,
        });
        expect(index.dump()).toEqual(before);
      }),
    );

    it(
      "keeps every unit's identity when a line is inserted above",
      withIndex(async (index) => {
        const before = index.chunkHashes("src/session.py");
        const vectors = await index.embed();
        expect(vectors).toBeGreaterThan(0);
        await index.sync({ ...FIXTURE, "src/session.py": `# moved\n\n${FIXTURE["src/session.py"]}` });
        const after = index.chunkHashes("src/session.py");
        expect(before.filter((hash) => after.includes(hash)).length).toBeGreaterThanOrEqual(before.length - 1);
        // Only the code at the top, which now has another line, is embedded again.
        expect(await index.embed()).toBeLessThanOrEqual(1);
        const moved = searchCode(index.sql, { query: "refresh_token" })[0];
        expect(moved?.start_line).toBe(13);
      }),
    );

    it(
      "equals a fresh index after edits, removals and additions",
      withIndex(async (index) => {
        const { "src/cookies.py": _removed, ...rest } = FIXTURE;
        const edited = {
          ...rest,
          "src/session.py": `${rest["src/session.py"]}\n\ndef extra():\n    return 41 + 1\n`,
          "src/new.py": "def brand_new():\n    return 'new'\n",
        };
        const counts = await index.sync(edited);
        expect(counts).toMatchObject({ added: 1, updated: 1, removed: 1 });
        const updated = index.dump();
        await host.withDriver(async (sql) => {
          migrate(sql);
          const fresh = new TestIndex(sql, host);
          await fresh.sync(edited);
          expect(updated).toEqual(fresh.dump());
        });
      }),
    );

    it(
      "keeps declarations of one name apart, and equal ones as well",
      withIndex(async (index) => {
        const one = "def twice(x):\n    return x\n\n\n";
        const other = "def twice(x, y):\n    return x + y\n\n\n";
        await index.sync({ "a.py": one + other + one });
        const lines = () => searchCode(index.sql, { query: "twice" }).map((declaration) => declaration.start_line);
        expect(lines().sort((a, b) => a - b)).toEqual([1, 5, 9]);
        await index.sync({ "a.py": one + other });
        expect(lines().sort((a, b) => a - b)).toEqual([1, 5]);
      }),
    );

    it(
      "stores one vector for equal content, and needs none for a moved file",
      withIndex(async (index) => {
        await index.embed();
        const { "src/cookies.py": text, ...rest } = FIXTURE;
        await index.sync({ ...rest, "lib/jar.py": text as string });
        expect(await index.embed()).toBe(0);
      }),
    );

    it(
      "goes on after an abort, and keeps what was done",
      withIndex(async (index) => {
        const many = Object.fromEntries(
          Array.from({ length: 200 }, (_, i) => [`gen/f${i}.py`, `def f${i}():\n    return ${i}\n`]),
        );
        const signal = { aborted: false };
        await expect(index.sync(many, { signal, abortAfter: 80 })).rejects.toThrow(/interrupted/);
        const kept = index.count("files");
        expect(kept).toBeGreaterThan(Object.keys(FIXTURE).length);
        const counts = await index.sync(many);
        expect(counts.added + counts.unchanged).toBe(200);
        expect(counts.unchanged).toBeGreaterThan(0);
      }),
    );

    it(
      "skips a file that cannot be read, and tries again",
      withIndex(async (index) => {
        await index.sync({ ...FIXTURE, "src/gone.py": undefined });
        expect(index.sql.all("SELECT path FROM files WHERE skipped = 'unreadable'")).toHaveLength(1);
        await index.sync({ ...FIXTURE, "src/gone.py": "def back():\n    pass\n" });
        expect(searchCode(index.sql, { query: "back" })[0]?.path).toBe("src/gone.py");
      }),
    );

    it(
      "gives two roots of one name different names, and shows the name in paths",
      withIndex(async (index) => {
        const other = ensureRoot(index.sql, { location: "/elsewhere/app", name: "app" });
        expect(other.name).toBe("app-2");
        const paths = searchCode(index.sql, { query: "Session" }).map((declaration) => declaration.path);
        expect(paths[0]).toBe("app/src/session.py");
      }),
    );
  });

  describe("search", () => {
    it(
      "finds a definition by its name, however it is written",
      withIndex(async (index) => {
        for (const query of ["refreshToken", "refresh_token", "Session.refresh_token", "how is a token refreshed"]) {
          expect((await index.search(query))[0]?.symbol, query).toBe("Session.refresh_token");
        }
      }),
    );

    it(
      "answers queries that are FTS5 syntax, and never fails",
      withIndex(async (index) => {
        for (const query of [
          "std::vector",
          "f.read()",
          "don't",
          "C++",
          "#include",
          "@app.route",
          "a OR",
          "NOT x",
          "-x",
          "(a",
          "name:refresh",
          "token NEAR token",
        ]) {
          await expect(index.search(query), query).resolves.toBeInstanceOf(Array);
        }
        for (const query of ["token OR", "NOT token", "-token", "(token", "names:token", '"token', "token*"]) {
          expect((await index.search(query)).length, query).toBeGreaterThan(0);
        }
      }),
    );

    it(
      "gives no result, and no error, for queries without a word",
      withIndex(async (index) => {
        for (const query of ["*", '"', "()", "", "   ", "\0", "🎉"])
          expect(await index.search(query), query).toEqual([]);
        for (const query of ["a\0b", "検索", "the of and", "x".repeat(10_000)]) {
          await expect(index.search(query), query).resolves.toBeInstanceOf(Array);
        }
        expect((await index.search("the session"))[0]?.path).toBe("src/session.py");
        expect((await index.search("検索"))[0]?.path).toBe("docs/guide.md");
      }),
    );

    it(
      "filters before it cuts: a narrow search still fills its places",
      withIndex(async (index) => {
        const inTests = await index.search("token", { globs: ["tests/**"] });
        expect(inTests.length).toBeGreaterThan(0);
        expect(inTests.every((result) => result.path.startsWith("tests/"))).toBe(true);
        expect((await index.search("token", { kind: "class" })).every((result) => result.kind === "class")).toBe(true);
        expect((await index.search("token", { language: "markdown" }))[0]?.path).toBe("docs/guide.md");
        expect(await index.search("token", { globs: ["nowhere/**"] })).toEqual([]);
      }),
    );

    it(
      "clamps its limits",
      withIndex(async (index) => {
        for (const topK of [-1, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 10_000]) {
          const results = await index.search("token session cookie", { topK });
          expect(results.length, String(topK)).toBeGreaterThan(0);
          expect(results.length, String(topK)).toBeLessThanOrEqual(20);
        }
        expect(await index.search("token", { topK: -1 })).toHaveLength(1);
      }),
    );

    it(
      "puts a test below what it tests, unless tests are asked for",
      withIndex(async (index) => {
        expect((await index.search("refresh token"))[0]?.path).toBe("src/session.py");
        const asked = await index.search("tests for refresh token");
        expect(asked.slice(0, 2).map((result) => result.path)).toContain("tests/test_session.py");
      }),
    );

    it(
      "finds substrings of names",
      withIndex(async (index) => {
        expect((await index.search("kiejar"))[0]?.symbol).toBe("CookieJar");
      }),
    );

    it(
      "puts a type before the many places that extend it, or that open what is called like it",
      withIndex(async (index) => {
        const topics = Array.from({ length: 300 }, (_, i) => `Topic${i}`);
        const methods = topics.map((topic) => `  func start${topic}(with value: Int) -> Int { return value }\n`);
        const tree: Record<string, string> = {
          "Server/Server.swift": `public class Server {\n  let port: Int\n${methods.join("")}}\n`,
          "Pack/Pack.cs": `namespace Pack {\n  class Pack {\n    int size;\n  }\n}\n`,
        };
        for (const topic of topics) {
          tree[`Server/Server+${topic}.swift`] = `extension Server {\n  var server${topic}: Server { self }\n}\n`;
          tree[`Pack/${topic}.cs`] = `namespace Pack {\n  class Pack${topic} {\n    Pack pack;\n  }\n}\n`;
        }
        await index.sync({ ...FIXTURE, ...tree });
        expect((await index.search("Server"))[0]).toMatchObject({ path: "Server/Server.swift", kind: "class" });
        expect((await index.search("Pack"))[0]).toMatchObject({ path: "Pack/Pack.cs", kind: "class" });
      }),
    );

    it(
      "finds by meaning what no word finds, and says so",
      withIndex(async (index) => {
        await index.embed();
        const results = await index.search("renewal");
        expect(results[0]?.symbol).toBe("Session.refresh_token");
        expect(results[0]?.why).toContain("meaning");
      }),
    );

    it(
      "follows edits in its cache of vectors",
      withIndex(async (index) => {
        await index.embed();
        await index.search("renewal");
        const { "src/session.py": _gone, ...rest } = FIXTURE;
        await index.sync(rest);
        expect((await index.search("renewal")).every((result) => result.path !== "src/session.py")).toBe(true);
      }),
    );
  });

  describe("names", () => {
    it(
      "a one-letter query finds that name, not every name with the letter",
      withIndex(async (index) => {
        expect(searchCode(index.sql, { query: "a" })).toEqual([]);
      }),
    );

    it(
      "references: definition, calls and imports",
      withIndex(async (index) => {
        const found = findReferences(index.sql, "merge_cookies");
        expect(found.definitions.map((definition) => definition.path)).toEqual(["src/cookies.py"]);
        expect(found.uses).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              use: "call",
              symbol: "Session.send",
              text: expect.stringContaining("merge_cookies("),
            }),
            expect.objectContaining({ use: "import", path: "src/session.py" }),
          ]),
        );
      }),
    );

    it(
      "the map keeps to its budget and shows what others use",
      withIndex(async (index) => {
        const small = repoMap(index.sql, { maxTokens: 200 });
        expect(small.text.length).toBeLessThanOrEqual(200 * 4 + 50);
        expect(repoMap(index.sql, { maxTokens: 5_000 }).symbols.map((symbol) => symbol.symbol)).toContain(
          "merge_cookies",
        );
      }),
    );
  });
}

type Tree = Readonly<Record<string, string | undefined>>;

/** An index of a tree that lives in memory. */
class TestIndex {
  readonly #host: ConformanceHost;
  readonly #embedder: Embedder = hashingEmbedder({ renewal: "refresh" });
  readonly #engine: SearchEngine;
  readonly sql: SqlDriver;
  readonly rootId: number;
  #clock = 1_000_000;
  readonly #modified = new Map<string, { text: string | undefined; at: number }>();

  constructor(sql: SqlDriver, host: ConformanceHost) {
    this.sql = sql;
    this.#host = host;
    this.rootId = ensureRoot(sql, { location: "/repositories/app", name: "app" }).id;
    this.#engine = {
      sql,
      semantic: { embedder: this.#embedder, vectors: new VectorIndex(sql, this.#embedder.dimensions) },
    };
  }

  /** Syncs to a tree; `undefined` as text is a file that cannot be read. */
  sync(tree: Tree, options: { signal?: { aborted: boolean }; abortAfter?: number } = {}) {
    let read = 0;
    return syncRoot({
      sql: this.sql,
      rootId: this.rootId,
      files: Object.entries(tree).map(([path, text]) => this.#stat(path, text)),
      examine: fileExaminer({
        read: async (file) => {
          const text = tree[file.path];
          if (text === undefined) throw new Error("EACCES");
          if (options.signal && ++read === options.abortAfter) options.signal.aborted = true;
          return { text };
        },
        extract: this.#host.extract,
        digest: this.#host.digest,
      }),
      extractorId: "conformance",
      concurrency: 3,
      now: () => this.#clock,
      ...(options.signal ? { signal: options.signal } : {}),
    });
  }

  embed() {
    return embedMissing(this.sql, this.#embedder);
  }

  search(query: string, rest: { topK?: number; globs?: string[]; kind?: string; language?: string } = {}) {
    return search(this.#engine, { query, ...rest });
  }

  count(table: string): number {
    return this.sql.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n ?? 0;
  }

  chunkHashes(path: string): string[] {
    return this.sql
      .all<{ hash: string }>("SELECT c.hash FROM chunks c JOIN files f ON f.id = c.file_id WHERE f.path = ?", path)
      .map((row) => row.hash);
  }

  /** Everything but ids and times, in an order that does not depend on history. */
  dump() {
    return {
      units: this.sql.all(
        `SELECT f.path, u.ordinal, u.parent, u.hash, u.kind, u.symbol, u.start_line, u.end_line FROM units u
         JOIN files f ON f.id = u.file_id ORDER BY f.path, u.ordinal`,
      ),
      chunks: this.sql.all(
        `SELECT f.path, c.hash, c.ordinal, c.start_line, c.end_line, c.text FROM chunks c JOIN files f ON f.id = c.file_id
         ORDER BY f.path, c.start_line, c.hash`,
      ),
      uses: this.sql.all(
        `SELECT f.path, u.ordinal, n.uses FROM unit_uses n JOIN units u ON u.id = n.unit_id
         JOIN files f ON f.id = u.file_id ORDER BY f.path, u.ordinal`,
      ),
      terms: this.sql.all("SELECT term, doc, cnt FROM chunk_terms ORDER BY term"),
    };
  }

  #stat(path: string, text: string | undefined): ListedFile {
    const known = this.#modified.get(path);
    if (!known || known.text !== text) this.#modified.set(path, { text, at: this.#clock });
    this.#clock += 10_000;
    return { path, size: text?.length ?? 0, modifiedMs: this.#modified.get(path)?.at ?? 0 };
  }
}
