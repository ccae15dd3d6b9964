/** MCP clients that speak to the Worker through its own `fetch`: the SDK's current generation and the one before. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { fetchSignedIn, LOCAL } from "./worker.ts";

export const MODERN = "2026-07-28";

/** What the tests look at in a tool's answer, in either generation's types. */
export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
}

/** How a client reaches `/mcp`: the Worker by default; a test may put an agent's own door here. */
export type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const throughWorker: McpFetch = (url, init) => fetchSignedIn(new URL(url).pathname, init);

const endpoint = new URL("/mcp", LOCAL);
const who = { name: "tests", version: "1.0.0" };

/** The SDK's v2 client, which insists on protocol 2026-07-28 (or speaks 2025's, with `mode: "legacy"`). */
export async function connectV2(
  fetch: McpFetch = throughWorker,
  mode: "legacy" | { pin: string } = { pin: MODERN },
): Promise<Client> {
  const client = new Client(who, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(endpoint, { fetch }));
  return client;
}

/** The SDK's v1 client, protocol 2025-11-25. */
export async function connectV1(fetch: McpFetch = throughWorker): Promise<Client1> {
  const client = new Client1(who);
  await client.connect(new Transport1(endpoint, { fetch }) as never);
  return client;
}

/** Calls a tool of either client. */
export async function callTool(
  client: Client | Client1,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolResult> {
  return (await client.callTool({ name, arguments: args })) as unknown as ToolResult;
}

/** The value that a tool's first text item holds, for a call that must succeed. */
export async function toolValue<T>(client: Client | Client1, name: string, args?: Record<string, unknown>): Promise<T> {
  const result = await callTool(client, name, args);
  if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
  return JSON.parse(result.content[0]!.text) as T;
}
