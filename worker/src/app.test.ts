import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "./app.ts";
import { readConfig } from "./config.ts";
import type { OAuthPort } from "./grants/oauth-port.ts";
import worker from "./index.ts";
import type { AgentPort, RegistryPort, StoresPort } from "./ports.ts";
import { ReceiverMemory } from "./webhook/route.ts";

const LOCAL = "http://127.0.0.1:8787";
const DEPLOYED = "https://hooks.example";
const TOKEN = "the-local-token";

afterEach(() => vi.restoreAllMocks());

/** The whole Worker with other variables than those of the tests' environment. */
function deployed(vars: Record<string, string | undefined>) {
  const changed = { ...env, LOCAL_MODE: "0", PUBLIC_URL: DEPLOYED, ...vars };
  return (path: string, init?: RequestInit) =>
    worker.fetch(new Request(new URL(path, DEPLOYED), init) as never, changed as Env, createExecutionContext());
}

/** The app with rooms below it that a test stands in for. */
function app(rooms: { registry?: Partial<RegistryPort>; agent?: AgentPort; stores?: StoresPort } = {}) {
  const configured = readConfig({ PUBLIC_URL: LOCAL, LOCAL_MODE: "1", LOCAL_TOKEN: TOKEN });
  if (!configured.ok) throw new Error(configured.errors.join());
  const made = createApp({
    config: configured.config,
    registry: { accounts: async () => [], ...rooms.registry } as RegistryPort,
    stores: rooms.stores ?? { store: () => Promise.reject(new Error("no store")) as never },
    oauth: { check: async () => null } as unknown as OAuthPort,
    agent: () => rooms.agent ?? { serve: async () => Response.json({ served: true }) },
    receiver: new ReceiverMemory(),
  });
  return async (path: string, init: RequestInit = {}) =>
    made.fetch(new Request(LOCAL + path, init), {}, createExecutionContext());
}

const bearer = { headers: { Authorization: `Bearer ${TOKEN}` } };

describe("/healthz", () => {
  test("says what runs, whether signatures are checked, and for which GitHub", async () => {
    const answer = await deployed({ GITHUB_WEBHOOK_SECRET: "s", GITHUB_URL: "https://ghes.example" })("/healthz");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      status: "ok",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      signature: "on",
      github: "ghes.example",
    });
    const unsigned = await deployed({ GITHUB_WEBHOOK_SECRET: "" })("/healthz");
    expect(await unsigned.json()).toMatchObject({ signature: "off" });
  });

  test("takes GET and HEAD", async () => {
    const get = app();
    expect((await get("/healthz", { method: "HEAD" })).status).toBe(200);
    const post = await get("/healthz", { method: "POST" });
    expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("a configuration that can't be understood", () => {
  test("stops every request with 503 and names the variables, here and in the log, but no value", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const get = deployed({ MAX_STORE_BYTES: "hunter2", OPERATOR_IDS: "hunter2" });
    for (const [path, init] of [
      ["/healthz", {}],
      ["/webhooks/github", { method: "POST", body: "{}" }],
      ["/mcp", { method: "POST", body: "{}" }],
      ["/api/pending-status", {}],
      ["/nowhere", {}],
    ] as const) {
      const answer = await get(path, init);
      expect(answer.status, path).toBe(503);
      const body = (await answer.json()) as { errors: string[] };
      expect(body.errors).toEqual([
        expect.stringMatching(/^MAX_STORE_BYTES must/),
        expect.stringMatching(/^OPERATOR_IDS must/),
      ]);
      expect(JSON.stringify(body)).not.toContain("hunter2");
    }
    expect(error).toHaveBeenCalledOnce();
    expect(error.mock.calls[0]![0]).toContain("MAX_STORE_BYTES must");
    expect(error.mock.calls[0]![0]).not.toContain("hunter2");
  });

  test("a deployed Worker without PUBLIC_URL is one", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const answer = await deployed({ PUBLIC_URL: "" })("/healthz");
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("PUBLIC_URL must be set");
  });
});

describe("what stands before every room", () => {
  test("local mode's guard: no rebound host gets through, even with the right token", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const answer = await app()("/api/pending-status", {
      headers: { ...bearer.headers, Origin: "https://evil.example" },
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ error: "forbidden", message: expect.stringContaining("origin") });
    expect(warn.mock.calls[0]![0]).toContain("local_mode_refused");
  });

  test("a deployed Worker has no local mode and takes no local token", async () => {
    for (const vars of [{ LOCAL_MODE: "0" }, { LOCAL_MODE: "1", GITHUB_CLIENT_ID: "Iv1.x" }]) {
      const answer = await deployed({ ...vars, LOCAL_TOKEN: TOKEN })("/api/pending-status", bearer);
      expect(answer.status).toBe(401);
    }
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const asked = await deployed({ LOCAL_MODE: "1", LOCAL_TOKEN: TOKEN })("/api/pending-status", bearer);
    expect(asked.status).toBe(403);
  });

  test("every answer carries the headers that keep browsers from guessing", async () => {
    for (const path of ["/healthz", "/mcp", "/api/pending-status", "/nowhere"]) {
      const { headers } = await app()(path);
      expect(headers.get("X-Content-Type-Options"), path).toBe("nosniff");
      expect(headers.get("X-Frame-Options")).toBe("DENY");
      expect(headers.get("Referrer-Policy")).toBe("no-referrer");
      expect(headers.get("Strict-Transport-Security")).toContain("max-age=");
    }
  });
});

describe("the rooms", () => {
  test("/mcp and /mcp/ are the same, and want a bearer", async () => {
    const post = { method: "POST", body: "{}" };
    for (const path of ["/mcp", "/mcp/"]) {
      expect((await app()(path, post)).status).toBe(401);
      const answer = await app()(path, { ...post, ...bearer });
      expect(await answer.json()).toEqual({ served: true });
      expect((await app()(path, bearer)).status).toBe(405);
    }
  });

  test("/api wants a bearer on every path, those that don't exist included", async () => {
    for (const path of ["/api/pending-status", "/api/nothing"]) expect((await app()(path)).status, path).toBe(401);
    const missing = await app()("/api/nothing", bearer);
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: "not_found" });
  });

  test.each([
    "/",
    "/oauth",
    "/oauth/nothing",
    "/.well-known/openid-configuration",
    "/mcp/.well-known/x",
    "/webhooks",
    "/webhooks/github/x",
    "/mcp/x",
    "/api",
  ])("nothing is at %s", async (path) => {
    const answer = await app()(path, bearer);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: "not_found", message: expect.any(String) });
  });
});

describe("an unexpected error", () => {
  test("is logged under an id, which is all that its sender learns", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const accounts = () => Promise.reject(new Error("a detail of ours"));
    const answer = await app({ registry: { accounts } })("/api/pending-status", bearer);
    expect(answer.status).toBe(500);
    const body = (await answer.json()) as { error: string; id: string };
    expect(body.error).toBe("internal");
    expect(JSON.stringify(body)).not.toContain("detail");
    expect(error.mock.calls[0]![0]).toContain(body.id);
    expect(error.mock.calls[0]![0]).toContain("a detail of ours");
  });

  test("of an object that is overloaded says: come again", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const serve = () => Promise.reject(Object.assign(new Error("overloaded"), { overloaded: true }));
    const answer = await app({ agent: { serve } })("/mcp", { method: "POST", body: "{}", ...bearer });
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "5"]);
  });
});
