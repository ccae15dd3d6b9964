import { Hono } from "hono";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeStores } from "../inbox/testing/fake-store.ts";
import { pack } from "../payload/codec.ts";
import type { ViewerAccount } from "../viewer.ts";
import { type ApiEnv, apiRoutes } from "./routes.ts";

const T = Date.UTC(2026, 10, 30);

let stores: FakeStores;

beforeEach(() => {
  stores = new FakeStores((text) => pack(new TextEncoder().encode(text)));
});

function ask(path: string, init: RequestInit = {}, scopes = ["events:read", "events:write"]): Promise<Response> {
  const accounts: ViewerAccount[] = [1, 2].map((accountId) => ({
    accountId,
    login: `account-${accountId}`,
    repositories: "all",
    orgOwner: true,
  }));
  const app = new Hono<ApiEnv>();
  app.use(async (context, next) => {
    context.set("caller", { viewer: { userId: 7, accounts }, scopes });
    await next();
  });
  app.route("/api", apiRoutes({ stores }));
  return Promise.resolve(app.request(`https://hooks.example/api${path}`, init));
}

const mark = (body: unknown, headers: Record<string, string> = { "Content-Type": "application/json" }) =>
  ask("/mark-processed", { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) });

describe("GET /api/pending-status", () => {
  it("is the tool's JSON, with the cursor beside it", async () => {
    stores.store(1).add({ id: "a", type: "push", receivedAt: T });
    const response = await ask("/pending-status");
    expect(response.headers.get("x-next-cursor")).toMatch(/^s1~/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({
      pending_count: 1,
      latest_received_at: "2026-11-30T00:00:00.000Z",
      types: { push: 1 },
    });
  });
});

describe("GET /api/pending-events", () => {
  it("pages with the same parameters as the tool", async () => {
    for (let i = 0; i < 5; i++) {
      const summary = { repo: "acme/web", sender: i === 3 ? "bot" : "ann", sender_type: i === 3 ? "Bot" : undefined };
      stores.store((i % 2) + 1).add({ id: `e${i}`, type: i === 2 ? "push" : "issues", receivedAt: T + i, summary });
    }
    const query = "types=issues,star&exclude_bots=true&repo=Acme/Web&limit=2&order=oldest";
    const first = await ask(`/pending-events?${query}`);
    expect(await first.json()).toMatchObject([{ id: "e0" }, { id: "e1" }]);
    const cursor = encodeURIComponent(first.headers.get("x-next-cursor")!);
    const second = await ask(`/pending-events?${query}&cursor=${cursor}`);
    expect(await second.json()).toMatchObject([{ id: "e4" }]);
    expect(second.headers.get("x-next-cursor")).toBeNull();
  });

  it("names a store that gave no answer, and is no empty array when that is all there is", async () => {
    stores.store(2).failing = true;
    expect((await ask("/pending-events")).status).toBe(503);
    stores.store(1).add({ id: "a", receivedAt: T });
    const response = await ask("/pending-events");
    expect(response.headers.get("x-partial")).toBe("account-2 (account 2)");
    expect(await response.json()).toMatchObject([{ id: "a" }]);
  });

  it.each([
    ["limit=0", "limit must be a whole number from 1 to 100."],
    ["limit=1.5", "limit must be a whole number from 1 to 100."],
    ["limit=ten", "limit must be a whole number from 1 to 100."],
    ["limit=5&limit=6", "limit is given twice."],
    ["order=random", 'order must be "newest" or "oldest".'],
    ["cursor=x", "This cursor can't be read. Pass one from an earlier answer unchanged, or none."],
    ["types=", "types are names such as issues or workflow_run."],
    ["repo=web", 'repo must be "owner/name".'],
    ["exclude_bots=maybe", expect.stringContaining("exclude_bots: ")],
  ])("refuses %s with 400 and what is wrong", async (query, message) => {
    const response = await ask(`/pending-events?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: "invalid_request", message });
  });
});

describe("GET /api/webhook-events", () => {
  it("holds the payloads as they came, number by number", async () => {
    stores.store(1).add({ id: "a", receivedAt: T, payload: '{"id":12345678901234567890, "x":1.0}' });
    stores.store(2).add({ id: "b", receivedAt: T + 1, payload: "{}" });
    const response = await ask("/webhook-events");
    expect(response.headers.get("content-type")).toBe("application/json");
    const text = await response.text();
    expect(text).toContain('{"id":"a","type":"issues","payload":{"id":12345678901234567890, "x":1.0},"received_at":');
    expect(JSON.parse(text)).toMatchObject([{ id: "b" }, { id: "a", processed: false, trigger_status: null }]);
  });
});

describe("GET /api/event", () => {
  it("streams the whole, however deep", async () => {
    const payload = `{"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    stores.store(2).add({ id: "deep", receivedAt: T, payload });
    const response = await ask("/event?id=deep");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(
      `{"id":"deep","type":"issues","payload":${payload},"received_at":"2026-11-30T00:00:00.000Z","processed":false,"trigger_status":null,"last_triggered_at":null}`,
    );
  });

  it("is 404 for an event that there is not, 400 without an id", async () => {
    const unknown = await ask("/event?id=none");
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({ error: "not_found", message: "Event none not found" });
    expect((await ask("/event")).status).toBe(400);
  });
});

describe("POST /api/mark-processed", () => {
  it("marks, and answers with the tool's JSON", async () => {
    stores.store(2).add({ id: "b", receivedAt: T });
    expect(await (await mark({ event_id: "b" })).json()).toEqual({ success: true, event_id: "b", purged: 0 });
    expect(await (await ask("/pending-events")).json()).toEqual([]);
  });

  it("is an error for an event that there is not", async () => {
    expect((await mark({ event_id: "none" })).status).toBe(404);
  });

  it.each([
    [
      "a form, which a foreign page could send",
      "event_id=b",
      { "Content-Type": "application/x-www-form-urlencoded" },
      415,
    ],
    ["no content type", "{}", { "Content-Type": "" }, 415],
    ["broken JSON", "{", undefined, 400],
    ["JSON that is no object", "[]", undefined, 400],
    ["nothing to mark", "{}", undefined, 400],
    ["101 ids", { event_ids: Array.from({ length: 101 }, (_, i) => `${i}`) }, undefined, 400],
    ["a huge body", `{"event_id":"${"x".repeat(300_000)}"}`, undefined, 413],
  ])("refuses %s", async (_, body, headers, status) => {
    const response = await mark(body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.any(String), message: expect.any(String) });
  });
});

describe("every route", () => {
  it.each([
    ["/pending-status", "POST", "GET, HEAD"],
    ["/pending-events", "DELETE", "GET, HEAD"],
    ["/webhook-events", "PUT", "GET, HEAD"],
    ["/event", "POST", "GET, HEAD"],
    ["/mark-processed", "GET", "POST"],
  ])("%s refuses %s with 405 and what is allowed", async (path, method, allow) => {
    const response = await ask(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    expect(await response.json()).toMatchObject({ error: "method_not_allowed" });
  });

  it("asks for the scope that fits what it does", async () => {
    stores.store(1).add({ id: "a", receivedAt: T });
    for (const path of ["/pending-status", "/pending-events", "/webhook-events", "/event?id=a"]) {
      const response = await ask(path, {}, ["events:write"]);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: "insufficient_scope" });
    }
    const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"event_id":"a"}' };
    expect((await ask("/mark-processed", post, ["events:read"])).status).toBe(403);
    expect(stores.store(1).calls).toEqual([]);
  });

  it("answers an unknown path with JSON", async () => {
    const response = await ask("/nothing");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: "not_found" });
  });
});
