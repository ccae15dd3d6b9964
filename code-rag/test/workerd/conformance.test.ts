import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import table from "../../model/embedding-table.bin";
import { embeddingTableConformance } from "../../src/engine/conformance/embedding-table.ts";
import { type ConformanceHost, engineConformance } from "../../src/engine/conformance/suite.ts";
import { extractUnits } from "../../src/engine/units/extract.ts";
import { durableSqlite } from "./durable-sqlite.ts";
import type { IndexHost } from "./host.ts";
import { createWorkerdPort } from "./workerd-port.ts";

const port = await createWorkerdPort();
const { INDEX } = env as unknown as { INDEX: DurableObjectNamespace<IndexHost> };

const host: ConformanceHost = {
  digest: (text) => createHash("sha256").update(text).digest("base64url").slice(0, 22),
  extract: async (file) => extractUnits(file, port),
  async withDriver(run) {
    const stub = INDEX.get(INDEX.newUniqueId());
    await runInDurableObject(stub, (_instance, state) => run(durableSqlite(state.storage)));
  },
};

engineConformance(host);
embeddingTableConformance(
  host,
  async () => new Uint8Array(table),
  (bytes) => new TextDecoder().decode(bytes),
);
