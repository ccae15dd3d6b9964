import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Embedder } from "../../src/engine/ports.ts";
import { fileExaminer } from "../../src/engine/prepare/examine.ts";
import { migrate } from "../../src/engine/store/migrate.ts";
import { extractUnits } from "../../src/engine/units/extract.ts";
import { readSource } from "../../src/node/files/read-source.ts";
import { sha256 } from "../../src/node/host/digest.ts";
import { type RootTarget, runIndexJob } from "../../src/node/host/index-job.ts";
import { createNodePort } from "../../src/node/parse/node-port.ts";
import { NodeSqlite } from "../../src/node/sqlite/node-sqlite.ts";

const port = await createNodePort();

/** An index of one directory, kept between runs of a benchmark; `version` belongs to the extractor under test. */
export async function openBenchIndex(
  cache: string,
  name: string,
  target: RootTarget,
  version: string,
  embedder?: Embedder,
): Promise<NodeSqlite> {
  mkdirSync(cache, { recursive: true });
  const sql = NodeSqlite.open(join(cache, `${name}.db`));
  migrate(sql);
  await runIndexJob({
    sql,
    database: join(cache, `${name}.db`),
    targets: [target],
    examinerOf: (root) =>
      fileExaminer({
        read: async (file) => readSource(root, file),
        extract: async (file) => {
          try {
            return extractUnits(file, port);
          } catch {
            return extractUnits(file, undefined);
          }
        },
        digest: sha256,
      }),
    extractorId: version,
    concurrency: 1,
    ...(embedder ? { embedder } : {}),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  return sql;
}
