/** A server of protocol 2025-11-25, with sessions: the SDK's own. */
import { randomUUID } from "node:crypto";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WorkerSession } from "../ports.ts";
import { createWorkerSession } from "./session.ts";
import { plainNetwork, TestAccess } from "./testing/ports.ts";

const URI = "github-webhook://events";

let http: HttpServer;
let session: WorkerSession;
let sessions: Map<string, { transport: StreamableHTTPServerTransport; server: McpServer }>;
let opened: number;
let calls: number;
let cancelled: number;

beforeEach(async () => {
  sessions = new Map();
  opened = calls = cancelled = 0;
  http = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"] ?? ""));
    if (known) return known.transport.handleRequest(request, response);
    if (request.headers["mcp-session-id"]) {
      response.writeHead(404, { "Content-Type": "application/json" });
      return response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        opened++;
        sessions.set(id, { transport, server });
      },
    });
    const server = makeServer();
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  session = createWorkerSession({
    network: plainNetwork,
    access: new TestAccess(),
    workerUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    version: "1",
  });
});
afterEach(async () => {
  await session.close();
  http.closeAllConnections();
  http.close();
});

function makeServer(): McpServer {
  const server = new McpServer(
    { name: "old", version: "1" },
    { capabilities: { resources: { subscribe: true } }, instructions: "old words" },
  );
  server.registerTool("count", {}, () => ({ content: [{ type: "text", text: String(++calls) }] }));
  server.registerTool(
    "wait",
    {},
    ({ signal }) =>
      new Promise((done) => {
        signal.addEventListener("abort", () => {
          cancelled++;
          done({ content: [] });
        });
      }),
  );
  server.server.fallbackRequestHandler = async () => ({});
  return server;
}

const call = (name: string, signal?: AbortSignal) =>
  session.request("tools/call", { name, arguments: {} }, { interactive: true, ...(signal && { signal }) });
const counted = (text: string) => ({ outcome: "result", result: { content: [{ type: "text", text }] } });

test("one session serves many calls", async () => {
  expect(await call("count")).toMatchObject(counted("1"));
  expect(await call("count")).toMatchObject(counted("2"));
  expect(opened).toBe(1);
  expect(session.instructions()).toBe("old words");
});

test("an expired session is renewed, and the call made again, once", async () => {
  await call("count");
  sessions.clear();
  expect(await call("count")).toMatchObject(counted("2"));
  expect(opened).toBe(2);
});

test("a server that forgets every session is not asked in a loop", async () => {
  await call("count");
  const forget = vi.spyOn(sessions, "get").mockReturnValue(undefined);
  expect(await call("count")).toMatchObject({ outcome: "unavailable" });
  expect(opened).toBeLessThanOrEqual(3);
  forget.mockRestore();
});

test("a cancelled call is cancelled there", async () => {
  const cancel = new AbortController();
  const waiting = call("wait", cancel.signal);
  await vi.waitFor(() => expect(opened).toBe(1));
  await new Promise((done) => setTimeout(done, 200));
  cancel.abort();
  await waiting;
  await vi.waitFor(() => expect(cancelled).toBe(1));
});

test("updates of a resource come by subscription, list changes by themselves", async () => {
  const told: unknown[] = [];
  session.onNotification((method, { uri }) => told.push([method, uri]));
  session.watchResources([URI]);
  await vi.waitFor(() => expect(opened).toBe(1));
  const { server } = [...sessions.values()][0]!;
  // Sent until the stream stands that carries it.
  await vi.waitFor(async () => {
    await server.server.sendResourceUpdated({ uri: URI });
    expect(told).toContainEqual(["notifications/resources/updated", URI]);
  });
  await server.server.sendToolListChanged();
  await vi.waitFor(() => expect(told).toContainEqual(["notifications/tools/list_changed", undefined]));
});
