import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { StreamServer } from "../../channel/testing/stream-server.ts";
import { readBridgeConfig } from "../../config.ts";
import { TestAccess } from "../../worker/testing/ports.ts";
import { makeParts, type Parts } from "../parts.ts";
import { type Check, checks } from "./checks.ts";

const servers: Server[] = [];
const homes: string[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
  vi.restoreAllMocks();
});

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "doctor-"));
  homes.push(home);
  return home;
}

/** What doctor says of a Worker, by the name of each check. */
async function diagnose(
  workerUrl: string,
  home = newHome(),
  replaced: Partial<Parts> = {},
): Promise<Record<string, Check>> {
  const read = readBridgeConfig({ WEBHOOK_WORKER_URL: workerUrl }, home);
  if (!read.ok) throw new Error(read.message);
  const parts = { ...makeParts(read.config), ...replaced };
  const found: Record<string, Check> = {};
  for await (const check of checks(read.config, parts, {})) found[check.name] = check;
  parts.access.close();
  await parts.network.close();
  return found;
}

const healthy: RequestListener = (_, response) => {
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ status: "ok", version: "0.12.0", signature: "on", github: "github.com" }));
};

describe("doctor", () => {
  it("finds the Worker and says how to sign in where nobody has", async () => {
    const found = await diagnose(await listen(healthy));
    expect(found).toMatchObject({
      "state folder": { result: "good" },
      Worker: { result: "good", text: "version 0.12.0 answers" },
      clock: { result: "good" },
      "AI clients": { result: "good" },
      "sign-in": { result: "bad", text: expect.stringContaining("npx github-webhook-mcp login") },
    });
    for (const name of ["stream", "test event"]) {
      expect(found[name]).toMatchObject({ result: "unknown", text: expect.stringContaining("sign-in") });
    }
  });

  it("names the dashboard's switch where AI clients are stopped at the edge (row 21)", async () => {
    const url = await listen((request, response) => {
      if (request.headers["user-agent"] !== "Claude-User") return healthy(request, response);
      response.writeHead(403, { "Content-Type": "text/plain" }).end("error code: 1010");
    });
    const { "AI clients": check } = await diagnose(url);
    expect(check).toMatchObject({ result: "bad", text: expect.stringMatching(/HTTP 403.*"Block AI bots" off/) });
  });

  it("blames no bot rule for another failure", async () => {
    const url = await listen((request, response) => {
      if (request.headers["user-agent"] !== "Claude-User") return healthy(request, response);
      response.writeHead(503).end();
    });
    const { "AI clients": check } = await diagnose(url);
    expect(check).toMatchObject({ result: "unknown", text: expect.stringContaining("HTTP 503") });
    expect(check?.text).not.toContain("AI bots");
  });

  it("renews a sign-in that is refused, as the bridge does, before it calls it dead", async () => {
    const worker = new StreamServer();
    worker.answer = healthy;
    const url = await worker.start();
    try {
      worker.tokens.clear();
      worker.tokens.add("token-2");
      const renewed = await diagnose(url, newHome(), { access: new TestAccess() });
      expect(renewed).toMatchObject({
        "sign-in": { result: "good" },
        renewal: { result: "good" },
        stream: { result: "good" },
        "test event": { result: "unknown", text: expect.stringContaining("Recent deliveries") },
      });
      expect(worker.requests.map(({ token }) => token)).toEqual(["token-1", "token-2"]);
      worker.tokens.clear();
      const dead = await diagnose(url, newHome(), { access: new TestAccess() });
      expect(dead.stream).toMatchObject({
        result: "bad",
        text: expect.stringContaining("npx github-webhook-mcp logout"),
      });
      expect(worker.requests).toHaveLength(4);
    } finally {
      await worker.stop();
    }
  });

  it("reports a clock that differs, whichever is wrong (row 34)", async () => {
    for (const [hours, words] of [
      [3, "180 minutes behind"],
      [-3, "180 minutes ahead of"],
    ] as const) {
      const url = await listen((request, response) => {
        response.setHeader("Date", new Date(Date.now() + hours * 3_600_000).toUTCString());
        healthy(request, response);
      });
      expect((await diagnose(url)).clock).toMatchObject({ result: "bad", text: expect.stringContaining(words) });
    }
  });

  it("tells what answers in a Worker's place, and what does not answer", async () => {
    const page = await listen((_, response) => response.setHeader("Content-Type", "text/html").end("<h1>Sign in</h1>"));
    expect((await diagnose(page)).Worker).toMatchObject({
      result: "bad",
      text: expect.stringContaining("is not github-webhook-mcp"),
    });
    const broken = await listen((_, response) =>
      response.end(JSON.stringify({ status: "misconfigured", version: "0.12.0" })),
    );
    expect((await diagnose(broken)).Worker).toMatchObject({
      result: "bad",
      text: expect.stringContaining("its own log"),
    });
    const gone = await listen(healthy);
    await new Promise((done) => servers.pop()!.close(done));
    const found = await diagnose(gone);
    expect(found.Worker).toMatchObject({ result: "bad", text: expect.stringContaining("connection refused") });
    expect(Object.keys(found)).toEqual(["state folder", "Worker"]);
  });

  it("says that a sign-in can't be kept where the folder can't be written to", async () => {
    const home = newHome();
    writeFileSync(join(home, ".github-webhook-mcp"), "a file is in the way");
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const found = await diagnose(await listen(healthy), home);
    expect(found["state folder"]).toMatchObject({
      result: "bad",
      text: expect.stringContaining("can't be written to"),
    });
  });
});
