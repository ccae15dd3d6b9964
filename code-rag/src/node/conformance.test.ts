import { engineConformance } from "../engine/conformance/suite.ts";
import { extractUnits } from "../engine/units/extract.ts";
import { sha256 } from "./host/digest.ts";
import { createNodePort } from "./parse/node-port.ts";
import { NodeSqlite } from "./sqlite/node-sqlite.ts";

const port = await createNodePort();

engineConformance({
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
});
