import { readFileSync } from "node:fs";
import { embeddingTableConformance } from "../engine/conformance/embedding-table.ts";
import { type ConformanceHost, engineConformance } from "../engine/conformance/suite.ts";
import { extractUnits } from "../engine/units/extract.ts";
import { sha256 } from "./host/digest.ts";
import { createNodePort } from "./parse/node-port.ts";
import { NodeSqlite } from "./sqlite/node-sqlite.ts";

const port = await createNodePort();

const host: ConformanceHost = {
  digest: sha256,
  extract: async (file) => extractUnits(file, port),
  async withDriver(run) {
    const sql = NodeSqlite.inMemory();
    try {
      await run(sql);
    } finally {
      sql.close();
    }
  },
};

engineConformance(host);
embeddingTableConformance(
  host,
  async () => readFileSync(new URL("../../model/embedding-table.bin", import.meta.url)),
  (bytes) => new TextDecoder().decode(bytes),
);
