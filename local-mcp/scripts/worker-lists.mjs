/**
 * The Worker's own lists, for the build (src/proxy/built-in-lists.ts): asked of its MCP endpoint over the protocol, as
 * the bridge asks for them. It is a build tool that imports the Worker, which the bridge never does. No store is needed:
 * listing reads none.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { McpService, SERVICE_URL } from "../../worker/src/mcp/service.ts";

/** Listing needs somebody who asks, and nothing that they could see. */
const NOBODY = { viewer: { userId: 0, accounts: [] }, scopes: ["events:read", "events:write"] };

/**
 * @returns {Promise<import("../src/proxy/built-in-lists.ts").Lists>}
 */
export async function workerLists() {
  const stores = {
    store() {
      throw new Error("listing reads no store");
    },
  };
  const service = new McpService({ stores, publicUrl: "https://worker.invalid", version: "0" });
  const client = new Client({ name: "build", version: "0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const transport = new StreamableHTTPClientTransport(new URL(SERVICE_URL), {
    fetch: (url, init) => service.serve(new Request(url, init), NOBODY),
  });
  await client.connect(transport);
  try {
    const [{ tools }, { prompts }, { resources }, { resourceTemplates }] = await Promise.all([
      client.listTools(),
      client.listPrompts(),
      client.listResources(),
      client.listResourceTemplates(),
    ]);
    return { tools, prompts, resources, resourceTemplates, instructions: client.getInstructions() ?? null };
  } finally {
    await client.close();
  }
}
