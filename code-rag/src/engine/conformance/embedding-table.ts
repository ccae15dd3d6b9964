/** What the trained table must do on every host: it is read there, and finds what no word of the question stands in. */

import { describe, expect, it } from "vitest";
import { readStaticTable, type StaticEmbedder, staticEmbedder } from "../embedding/static-table.ts";
import { VectorIndex } from "../embedding/vector-index.ts";
import type { SqlDriver } from "../ports.ts";
import { fileExaminer } from "../prepare/examine.ts";
import { search } from "../search/search.ts";
import { migrate } from "../store/migrate.ts";
import { ensureRoot } from "../store/roots.ts";
import { embedMissing } from "../sync/embed-missing.ts";
import { syncRoot } from "../sync/sync-root.ts";
import { indexStatus } from "../tools/status.ts";
import type { ConformanceHost } from "./suite.ts";

/** The limit that the package's size sets. */
const LARGEST = 8_000_000;

/** Each question has no word in common with its file. */
const MEANT: Readonly<Record<string, { readonly question: string; readonly text: string }>> = {
  "a.py": {
    question: "delete temporary directories",
    text: "def purge_scratch(folder):\n    for entry in os.listdir(folder):\n        shutil.rmtree(os.path.join(folder, entry), ignore_errors=True)\n",
  },
  "b.py": {
    question: "send an HTTP request",
    text: "def fetch(url, headers):\n    with urllib.urlopen(url, headers=headers) as response:\n        return response.read()\n",
  },
  "c.py": {
    question: "convert bytes into a string",
    text: "def to_text(buffer, charset):\n    return buffer.decode(charset, errors='replace')\n",
  },
  "d.py": {
    question: "average of numbers",
    text: "def mean(values):\n    total = sum(values)\n    return total / len(values)\n",
  },
};

export function embeddingTableConformance(
  host: ConformanceHost,
  readTable: () => Promise<Uint8Array>,
  decode: (bytes: Uint8Array) => string,
): void {
  describe("the trained table", () => {
    it("is small, and names itself by its content", async () => {
      const bytes = await readTable();
      expect(bytes.length).toBeLessThan(LARGEST);
      expect(readStaticTable(bytes, decode)).toMatchObject({
        id: expect.stringMatching(/^built-in:[0-9a-f]{12}$/),
        dimensions: 256,
      });
    });

    it("finds what is meant, where no word is the same", async () => {
      const embedder = staticEmbedder(readStaticTable(await readTable(), decode));
      await host.withDriver(async (sql) => {
        migrate(sql);
        await syncMeant(host, sql);
        await embedMissing(sql, embedder);
        expect(indexStatus(sql)).toMatchObject({ embedder: embedder.id, vectors: 4 });
        const engine = { sql, semantic: { embedder, vectors: new VectorIndex(sql, embedder.dimensions) } };
        for (const [path, { question }] of Object.entries(MEANT)) {
          expect(await search({ sql }, { query: question }), question).toEqual([]);
          const [first] = await search(engine, { query: question });
          expect(first, question).toMatchObject({ path, why: ["meaning"] });
        }
      });
    });

    it("makes the same vectors along with a file as afterwards", async () => {
      const embedder = staticEmbedder(readStaticTable(await readTable(), decode));
      const made: unknown[] = [];
      for (const along of [embedder, undefined])
        await host.withDriver(async (sql) => {
          migrate(sql);
          await syncMeant(host, sql, along);
          if (!along) expect(await embedMissing(sql, embedder)).toBe(4);
          made.push(sql.all("SELECT hash, hex(vector) AS vector FROM vectors ORDER BY hash"));
        });
      expect(made[0]).toHaveLength(4);
      expect(made[0]).toEqual(made[1]);
    });
  });
}

async function syncMeant(host: ConformanceHost, sql: SqlDriver, embedder?: StaticEmbedder): Promise<void> {
  await syncRoot({
    sql,
    rootId: ensureRoot(sql, { location: "/repo", name: "repo" }).id,
    files: Object.keys(MEANT).map((path) => ({ path, size: 0, modifiedMs: 0 })),
    examine: fileExaminer({
      read: async ({ path }) => ({ text: MEANT[path]?.text as string }),
      extract: host.extract,
      digest: host.digest,
      ...(embedder ? { embedder } : {}),
    }),
    extractorId: "1",
    concurrency: 1,
    now: () => 100_000,
  });
}
