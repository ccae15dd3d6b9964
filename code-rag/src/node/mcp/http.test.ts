import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { IndexService } from "../host/index-service.ts";
import { modelSettings } from "../models/settings.ts";
import { temporaryDirectory, writeTree } from "../testing/temporary.ts";
import { serveHttp } from "./http.ts";

async function served() {
  const directory = temporaryDirectory();
  const tree = writeTree(join(directory, "app"), { "a.ts": "export function alpha() {}\n" });
  const service = await IndexService.open({
    database: join(directory, "index.db"),
    targets: [{ kind: "directory", directory: tree }],
    models: modelSettings({}, {}),
    cache: directory,
    env: {},
  });
  await service.refresh();
  const server = await serveHttp(service, 0);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close();
  });
  return { address: server.address() as AddressInfo };
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});

/** A raw request: `fetch` would not let a test choose Host and Origin. */
function send(
  port: number,
  options: { method?: string; path?: string; headers?: Record<string, string>; body?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { method = "POST", path = "/mcp", headers = {}, body = INITIALIZE } = options;
    const call = request(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    call.on("error", reject);
    call.end(method === "GET" ? undefined : body);
  });
}

describe("serve --http", () => {
  it("listens on loopback only", async () => {
    expect((await served()).address.address).toBe("127.0.0.1");
  });

  it("serves the SDK's client", async () => {
    const { address } = await served();
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${address.port}/mcp`)));
    onTestFinished(() => client.close());
    const result = await client.callTool({ name: "search_code", arguments: { query: "alpha" } });
    expect(result.structuredContent).toMatchObject({ results: [{ path: "a.ts", symbol: "alpha" }] });
  });

  it("lets no web page in: foreign Host, foreign Origin, bodies that are not JSON", async () => {
    const { address } = await served();
    expect(await send(address.port, {})).toBe(200);
    expect(await send(address.port, { headers: { origin: "http://localhost:3000" } })).toBe(200);
    expect(await send(address.port, { headers: { host: "evil.example" } })).toBe(403);
    expect(await send(address.port, { headers: { host: `evil.example:${address.port}` } })).toBe(403);
    expect(await send(address.port, { headers: { origin: "https://evil.example" } })).toBe(403);
    expect(await send(address.port, { headers: { origin: "null" } })).toBe(403);
    expect(await send(address.port, { headers: { "content-type": "text/plain" } })).toBe(415);
    expect(await send(address.port, { headers: { "content-type": "application/x-www-form-urlencoded" } })).toBe(415);
    expect(await send(address.port, { path: "/" })).toBe(404);
    expect(await send(address.port, { body: "{" })).toBe(400);
  });

  it("says in one line that the port is taken", async () => {
    const { address } = await served();
    await expect(serveHttp({} as IndexService, address.port)).rejects.toThrow(/is in use; choose another --port/);
  });
});
