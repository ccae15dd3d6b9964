/** The REST routes, /healthz and local mode's guard, through the Worker's own `fetch`. */
import type { EventSummary, WebhookEvent } from "@github-webhook-mcp/shared/events.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { deliver, newGuid, post } from "../support/deliveries.ts";
import { failReads } from "../support/faults.ts";
import { issue, mona, octoOrg, wipe } from "../support/payloads.ts";
import { get, getJson, postMark } from "../support/rest.ts";
import { member, restAs } from "../support/viewers.ts";
import { DEPLOYED, fetchLocal, fetchSignedIn, LOCAL, send, TOKEN, workerWith } from "../support/worker.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await wipe();
});

const ROUTES = ["/api/pending-status", "/api/pending-events", "/api/webhook-events", "/api/event?id=x"];

async function refusal(response: Response): Promise<[number, string, string]> {
  const { error, message } = (await response.json()) as { error: string; message: string };
  return [response.status, error, message];
}

describe("reading", () => {
  let ids: string[];
  beforeEach(async () => {
    ids = [
      await deliver(issue({ number: 1 })),
      await deliver(issue({ number: 2, owner: mona })),
      await deliver(issue()),
    ];
  });

  test("pending-status is the tool's JSON, with the cursor in a header", async () => {
    const response = await get("/api/pending-status");
    expect(Object.keys((await response.clone().json()) as object)).toEqual([
      "pending_count",
      "latest_received_at",
      "types",
    ]);
    expect(await response.json()).toMatchObject({ pending_count: 3, types: { issues: 3 } });
    expect(response.headers.get("X-Next-Cursor")).toMatch(/^s1~/);
    expect(response.headers.get("Cache-Control")).toContain("no-store");
  });

  test("pending-events is an array, newest first; what it goes on with is in X-Next-Cursor", async () => {
    const first = await get("/api/pending-events", { limit: 2 });
    const cursor = first.headers.get("X-Next-Cursor")!;
    const head = (await first.json()) as EventSummary[];
    const second = await get("/api/pending-events", { limit: 2, cursor });
    expect(second.headers.get("X-Next-Cursor")).toBeNull();
    const rest = (await second.json()) as EventSummary[];
    expect([...head, ...rest].map(({ id }) => id)).toEqual([...ids].reverse());
  });

  test("filters, order and include_processed are query parameters", async () => {
    await postMark({ event_id: ids[0] });
    const list = async (query: Record<string, string | number | boolean>) =>
      (await getJson<EventSummary[]>("/api/pending-events", query)).map(({ id }) => id);
    expect(await list({ order: "oldest" })).toEqual([ids[1], ids[2]]);
    expect(await list({ order: "oldest", include_processed: true })).toEqual(ids);
    expect(await list({ repo: "mona/app" })).toEqual([ids[1]]);
    expect(await list({ types: "push,issues" })).toEqual([ids[2], ids[1]]);
    expect(await list({ types: "push" })).toEqual([]);
    expect(await list({ sender: "nobody" })).toEqual([]);
  });

  test("event and webhook-events carry the payload", async () => {
    const event = await getJson<WebhookEvent>("/api/event", { id: ids[0] });
    expect(event).toMatchObject({ id: ids[0], type: "issues", payload: { issue: { number: 1 } }, processed: false });
    const events = await getJson<WebhookEvent[]>("/api/webhook-events", { limit: 100 });
    expect(events.map(({ id }) => id)).toEqual([...ids].reverse());
    expect(events[2]).toEqual(event);
  });

  test("mark-processed marks one, several, or all up to a cursor", async () => {
    const one = await postMark({ event_id: ids[0] });
    expect(await one.text()).toBe(`{"success":true,"event_id":"${ids[0]}","purged":0}`);
    // Marking again is no error.
    expect((await postMark({ event_id: ids[0] })).status).toBe(200);
    const cursor = (await get("/api/pending-status")).headers.get("X-Next-Cursor");
    const later = await deliver(issue({ number: 4 }));
    expect(await (await postMark({ up_to_cursor: cursor })).json()).toMatchObject({ success: true, marked: 2 });
    expect(await getJson("/api/pending-events")).toMatchObject([{ id: later }]);
    expect(await (await postMark({ event_ids: [later] })).json()).toMatchObject({ success: true, marked: 1 });
    expect(await getJson("/api/pending-events")).toEqual([]);
  });

  test("HEAD answers like GET, without a body", async () => {
    const response = await fetchSignedIn("/api/pending-status", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });
});

describe("refusing", () => {
  test.for(ROUTES)("%s without a bearer, or with a wrong one, is 401 with a challenge", async (path, { expect }) => {
    for (const headers of [
      {},
      { Authorization: "Bearer wrong" },
      { Authorization: `Basic ${TOKEN}` },
    ] as HeadersInit[]) {
      const response = await fetchLocal(path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toContain("resource_metadata=");
    }
    expect((await fetchLocal(`${path}${path.includes("?") ? "&" : "?"}access_token=${TOKEN}`)).status).toBe(401);
  });

  test("mark-processed needs the bearer, too", async () => {
    expect((await postMark({ event_id: newGuid() }, fetchLocal)).status).toBe(401);
  });

  test("what can't be understood is 400 and says why", async () => {
    for (const [query, message] of [
      ["limit=0", /limit/],
      ["limit=101", /limit/],
      ["limit=1.5", /limit/],
      ["limit=x", /limit/],
      ["limit=1&limit=2", /twice/],
      ["cursor=nonsense", /cursor/],
      ["cursor=e1~zz", /cursor/],
      ["order=sideways", /order/],
      ["repo=no-slash", /repo/],
      ["types=", /types/],
      ["types=a%20b", /types/],
      ["exclude_bots=maybe", /exclude_bots/],
    ] as const) {
      const [status, code, text] = await refusal(await fetchSignedIn(`/api/pending-events?${query}`));
      expect([query, status, code]).toEqual([query, 400, "invalid_request"]);
      expect(text).toMatch(message);
    }
    for (const path of ["/api/event", "/api/event?id="]) {
      expect((await refusal(await fetchSignedIn(path))).slice(0, 2)).toEqual([400, "invalid_request"]);
    }
  });

  test("an unknown event is 404, an unknown path is 404, another method is 405", async () => {
    expect((await refusal(await get("/api/event", { id: newGuid() }))).slice(0, 2)).toEqual([404, "not_found"]);
    expect((await refusal(await get("/api/event", { id: "not-a-guid" }))).slice(0, 2)).toEqual([404, "not_found"]);
    expect((await refusal(await get("/api/nothing"))).slice(0, 2)).toEqual([404, "not_found"]);
    expect((await refusal(await fetchLocal("/nothing"))).slice(0, 2)).toEqual([404, "not_found"]);
    for (const path of ROUTES) {
      const response = await fetchSignedIn(path, { method: "DELETE" });
      expect([path, response.status, response.headers.get("Allow")]).toEqual([path, 405, "GET, HEAD"]);
    }
    const marked = await get("/api/mark-processed");
    expect([marked.status, marked.headers.get("Allow")]).toEqual([405, "POST"]);
  });

  test("a mark's body is checked: 415, 400, 413, 404", async () => {
    const id = await deliver(issue());
    const form = await fetchSignedIn("/api/mark-processed", {
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: JSON.stringify({ event_id: id }),
    });
    expect((await refusal(form)).slice(0, 2)).toEqual([415, "unsupported_media_type"]);
    for (const body of [
      "{",
      "",
      "[]",
      "null",
      "{}",
      { event_id: id, event_ids: [id] },
      { event_ids: [] },
      { event_id: 1 },
    ]) {
      const response = await postMark(body);
      expect([body, response.status]).toEqual([body, 400]);
    }
    expect((await postMark({ event_ids: Array(101).fill(id) })).status).toBe(400);
    expect((await postMark({ event_id: id, padding: "x".repeat(300_000) })).status).toBe(413);
    expect((await postMark({ event_id: newGuid() })).status).toBe(404);
    expect((await postMark({ event_ids: [id, newGuid()] })).status).toBe(404);
  });

  test("a caller without the scope is 403", async () => {
    const id = await deliver(issue());
    const reader = restAs(member(5, octoOrg, "all"), undefined, ["events:read"]);
    expect((await get("/api/event", { id }, reader)).status).toBe(200);
    expect((await refusal(await postMark({ event_id: id }, reader))).slice(0, 2)).toEqual([403, "insufficient_scope"]);
    const nobody = restAs(member(5, octoOrg, "all"), undefined, []);
    expect((await get("/api/pending-status", {}, nobody)).status).toBe(403);
  });

  test("stores that give no answer are 503; where others have answered, X-Partial names the silent one", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const id = await deliver(issue());
    await deliver(issue({ owner: mona }));
    failReads([octoOrg.id]);
    const listed = await get("/api/pending-events");
    expect([listed.status, listed.headers.get("X-Partial")]).toEqual([200, `octo-org (account ${octoOrg.id})`]);
    expect(await getJson("/api/pending-status")).toMatchObject({ pending_count: 1, partial: true });
    expect((await get("/api/event", { id })).status).toBe(503);
    expect((await postMark({ event_id: id })).status).toBe(503);
    // An empty list would say that there is nothing.
    expect((await get("/api/pending-events", { sender: "nobody" })).status).toBe(503);
  });
});

describe("/healthz", () => {
  test("says what there is to know without a token, and no more", async () => {
    const response = await fetchLocal("/healthz");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: "ok",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      signature: "on",
      github: "github.com",
    });
  });

  test("says so when signatures are not checked, and which host deliveries come from", async () => {
    const worker = workerWith({ GITHUB_WEBHOOK_SECRET: "", GITHUB_URL: "https://ghes.example" });
    expect(await (await worker(new Request(`${DEPLOYED}/healthz`))).json()).toMatchObject({
      signature: "off",
      github: "ghes.example",
    });
  });

  test("a value that can't be understood stops every request, is named, and not shown", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const worker = workerWith({ TENANT_QUOTA_PER_HOUR: "plenty", PUBLIC_URL: "http://secret-value.example" });
    for (const path of ["/healthz", "/webhooks/github", "/mcp", "/api/pending-status", "/"]) {
      const response = await worker(new Request(DEPLOYED + path));
      const text = await response.text();
      expect([path, response.status]).toEqual([path, 503]);
      expect(text).toContain("TENANT_QUOTA_PER_HOUR");
      expect(text).toContain("PUBLIC_URL");
      expect(text).not.toMatch(/plenty|secret-value/);
    }
  });

  test("retention days that can't be understood are their default, as before", async () => {
    const worker = workerWith({ PURGE_AFTER_DAYS: "soon", UNPROCESSED_PURGE_AFTER_DAYS: "-1" });
    expect((await worker(new Request(`${DEPLOYED}/healthz`))).status).toBe(200);
  });
});

describe("local mode", () => {
  const authorized = { Authorization: `Bearer ${TOKEN}` };
  const PRIVATE = ["/api/pending-status", "/mcp", "/", "/oauth/authorize"];

  test("refuses a host name that is not loopback, as a rebound page would have it", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    for (const path of PRIVATE) {
      for (const request of [
        new Request(`http://attacker.example:8787${path}`, { headers: authorized }),
        new Request(LOCAL + path, { headers: { ...authorized, Host: "attacker.example" } }),
      ]) {
        const response = await send(request);
        expect([path, response.status]).toEqual([path, 403]);
      }
    }
  });

  test("refuses another origin, and whatever was forwarded", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    for (const path of PRIVATE) {
      for (const headers of [
        { Origin: "https://attacker.example" },
        { Origin: "null" },
        { Forwarded: "for=1.2.3.4" },
        { "X-Forwarded-For": "1.2.3.4" },
        { "X-Forwarded-Host": "tunnel.example" },
        { "X-Forwarded-Proto": "https" },
      ] as HeadersInit[]) {
        const response = await fetchSignedIn(path, { headers });
        expect([path, headers, response.status]).toEqual([path, headers, 403]);
      }
    }
    for (const origin of [LOCAL, "http://localhost:3000", "http://[::1]:8787"]) {
      expect((await fetchSignedIn("/api/pending-status", { headers: { Origin: origin } })).status).toBe(200);
    }
  });

  test("takes a signed delivery through a tunnel, and shows its health to everyone", async () => {
    const headers = { "X-Forwarded-For": "140.82.115.1", "X-Forwarded-Host": "tunnel.example", Host: "tunnel.example" };
    expect((await post(issue(), { headers })).status).toBe(202);
    // As wrangler dev hands it on, whose own client is the tunnel's end on this machine.
    const url = "http://tunnel.example/webhooks/github";
    const fromTunnel = { ...headers, "CF-Connecting-IP": "127.0.0.1" };
    expect((await post(issue(), { headers: fromTunnel, url })).status).toBe(202);
    expect((await post(issue(), { headers, secret: "wrong" })).status).toBe(403);
    expect((await fetchLocal("/healthz", { headers })).status).toBe(200);
  });

  test("takes no unsigned delivery through a tunnel where there is no secret", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const worker = workerWith({ LOCAL_MODE: "1", GITHUB_WEBHOOK_SECRET: "", PUBLIC_URL: LOCAL });
    const body = JSON.stringify(issue());
    const request = (headers: Record<string, string>) =>
      new Request(`${LOCAL}/webhooks/github`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-GitHub-Event": "issues", ...headers },
        body,
      });
    expect((await worker(request({}))).status).toBe(202);
    expect((await worker(request({ "X-Forwarded-For": "1.2.3.4" }))).status).toBe(403);
    expect((await worker(request({ Origin: "https://attacker.example" }))).status).toBe(403);
  });

  test("its token opens nothing on a deployed Worker, LOCAL_MODE or not", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const request = () => new Request(`${DEPLOYED}/api/pending-status`, { headers: authorized });
    expect((await workerWith({ LOCAL_TOKEN: TOKEN })(request())).status).toBe(401);
    expect((await workerWith({ LOCAL_TOKEN: TOKEN, LOCAL_MODE: "1" })(request())).status).toBe(403);
    const withApp = { LOCAL_TOKEN: TOKEN, LOCAL_MODE: "1", GITHUB_CLIENT_ID: "Iv1", PUBLIC_URL: LOCAL };
    const local = new Request(`${LOCAL}/api/pending-status`, { headers: authorized });
    expect((await workerWith(withApp)(local)).status).toBe(401);
  });
});
