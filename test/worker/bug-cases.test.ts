/**
 * Inputs on which webhook receivers are publicly known to have failed, each tried on the whole Worker.
 *
 * The numbers are those of the project's list of such reports. Row 10's killed process is a flow of its own
 * (test/node); row 19, a subscriber that never reads, needs the event stream and belongs to its tests.
 */
import { abortAllDurableObjects, evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { EventSummary, WebhookEvent } from "@github-webhook-mcp/shared/events.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { registryPort } from "../../worker/src/tenant/registry-port.ts";
import { deliver, deliveryRequest, newGuid, post, signature } from "../support/deliveries.ts";
import { largePush } from "../support/large-push.ts";
import { listenTo } from "../support/live.ts";
import { callTool, connectV2, toolValue } from "../support/mcp.ts";
import { installation, installationOf, issue, mona, octoOrg, wipe } from "../support/payloads.ts";
import { get, getJson, postMark } from "../support/rest.ts";
import { DEPLOYED, fetchLocal, LOCAL, send, WEBHOOK_SECRET, workerWith } from "../support/worker.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await wipe();
});

const registry = registryPort(env.TENANT_REGISTRY);
const utf8 = (text: string) => new TextEncoder().encode(text);

/** The payload as REST and get_event give it back. */
async function payloadOf(id: string): Promise<{ rest: unknown; tool: unknown; text: string }> {
  const response = await get("/api/event", { id });
  expect(response.status).toBe(200);
  const text = await response.text();
  const client = await connectV2();
  const { payload } = await toolValue<WebhookEvent>(client, "get_event", { event_id: id });
  return { rest: (JSON.parse(text) as WebhookEvent).payload, tool: payload, text };
}

async function pendingIds(accountQuery = {}): Promise<string[]> {
  const events = await getJson<EventSummary[]>("/api/pending-events", { limit: 100, ...accountQuery });
  return events.map(({ id }) => id);
}

/** Seqs and types in an account's own store, past everything that decides who sees what. */
async function stored(accountId: number): Promise<string[]> {
  const store = env.WEBHOOK_STORE.getByName(`store-${accountId}`);
  const { events } = await store.list(
    { userId: 0, repositories: "all", version: "all" },
    { order: "oldest", limit: 100, filter: { include_processed: true } },
  );
  return events.map(({ id }) => id);
}

describe("bodies", () => {
  test("1. an emoji and a line separator in a title don't break the HMAC", async () => {
    const payload = issue({ title: "😀\u2028 and \u2029" });
    const raw = JSON.stringify(payload);
    expect(raw).toContain("\u2028");
    const id = await deliver(raw);
    expect(await payloadOf(id)).toMatchObject({ rest: payload, tool: payload });
  });

  test("2. a literal backslash-u in a title is not escaped again", async () => {
    const payload = issue({ title: "\\u00e9" });
    const raw = JSON.stringify(payload);
    expect(raw).toContain('"\\\\u00e9"');
    const { rest, tool, text } = await payloadOf(await deliver(raw));
    expect(rest).toEqual(payload);
    expect(tool).toEqual(payload);
    expect(text).toContain('"\\\\u00e9"');
  });

  test("3. a byte order mark before the JSON is accepted, signed as it came", async () => {
    const payload = issue();
    const raw = new Uint8Array([0xef, 0xbb, 0xbf, ...utf8(JSON.stringify(payload))]);
    expect(await payloadOf(await deliver(raw))).toMatchObject({ rest: payload, tool: payload });
  });

  test("4. invalid UTF-8 is 400 and says so", async () => {
    const raw = new Uint8Array([...utf8('{"a":"'), 0xff, 0xfe, ...utf8('"}')]);
    const response = await post(raw);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/^Invalid JSON payload.*UTF-8/s);
  });

  test("5. a form-encoded body is the same event as its JSON", async () => {
    const payload = issue({ title: "a b é + ü %20" });
    const encoded = encodeURIComponent(JSON.stringify(payload)).replace("a%20b", "a+b");
    const raw = `payload=${encoded}`;
    expect(raw).toMatch(/a\+b%20%C3%A9/);
    const form = await deliver(raw, { contentType: "application/x-www-form-urlencoded" });
    const json = await deliver(payload);
    expect((await payloadOf(form)).rest).toEqual((await payloadOf(json)).rest);
    // Some senders leave letters beyond ASCII as raw UTF-8 in the form.
    const unescaped = raw.replace("%C3%A9", "é");
    const loose = await deliver(unescaped, { contentType: "application/x-www-form-urlencoded; charset=utf-8" });
    expect((await payloadOf(loose)).rest).toEqual(payload);
  });

  test("5. a form without a payload field is 400", async () => {
    const response = await post("other=1", { contentType: "application/x-www-form-urlencoded" });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/^Invalid JSON payload/);
  });

  test("6. a body that breaks off does not hang, and the next delivery is taken", async () => {
    const raw = utf8(JSON.stringify(issue()));
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(raw.subarray(0, 40));
        setTimeout(() => controller.error(new Error("the sender has gone")), 50);
      },
    });
    const headers = deliveryRequest(raw).headers;
    const outcome = await Promise.race([
      send(new Request(`${LOCAL}/webhooks/github`, { method: "POST", headers, body: broken })).then(
        ({ status }) => status,
        () => "failed",
      ),
      new Promise((resolve) => setTimeout(resolve, 5_000, "hung")),
    ]);
    expect(outcome).not.toBe("hung");
    expect(outcome).not.toBe(202);
    expect((await post(raw)).status).toBe(202);
    expect(await pendingIds()).toHaveLength(1);
  });

  test.for([
    ["0.5", 500_000],
    ["2.1", 2_100_000],
    ["3", 3_000_000],
    ["24.9", 24_900_000],
  ] as const)(
    "11. a push of %s MB is accepted and comes back identical",
    { timeout: 60_000 },
    async ([, size], { expect }) => {
      const raw = largePush(size, issue());
      expect(raw.length).toBe(size);
      const id = await deliver(raw, { event: "push" });
      const response = await get("/api/event", { id });
      const text = await response.text();
      const start = text.indexOf('"payload":') + '"payload":'.length;
      // Compared as a boolean: a diff of 25 MB helps nobody.
      expect(text.slice(start, start + raw.length) === raw).toBe(true);
      expect(JSON.parse(`${text.slice(0, start)}0${text.slice(start + raw.length)}`)).toMatchObject({
        id,
        type: "push",
      });
      const client = await connectV2();
      const result = await callTool(client, "get_event", { event_id: id });
      expect(result.isError).toBeFalsy();
      expect(result.content[0]!.text.length).toBeLessThanOrEqual(400_000);
      expect(JSON.parse(result.content[0]!.text)).toMatchObject({ id, truncated: true });
      expect(result.content[1]!.text).toContain("/api/event?id=");
    },
  );

  test("11. a body above 25 MiB is 413", async () => {
    const response = await post(new Uint8Array(25 * 1024 * 1024 + 1).fill(0x20), { secret: null });
    expect(response.status).toBe(413);
  });

  test("12. NUL in a diff hunk comes back", async () => {
    const payload = { ...issue(), comment: { diff_hunk: "a\u0000b" } };
    const raw = JSON.stringify(payload);
    expect(raw).toContain("\\u0000");
    expect(await payloadOf(await deliver(raw))).toMatchObject({ rest: payload, tool: payload });
  });

  test.for(["null", "[]", '"x"', "1", "true", "", "{", '{"a":1}x', "{'a':1}"])(
    "21. the signed body %s is 400",
    async (raw, { expect }) => {
      const response = await post(raw);
      expect(response.status).toBe(400);
      expect(await response.text()).toMatch(/^Invalid JSON payload/);
    },
  );

  test("22. a lone surrogate escape comes back", async () => {
    const raw = JSON.stringify(issue({ title: "HERE" })).replace("HERE", "a\\ud800b");
    const { rest, tool, text } = await payloadOf(await deliver(raw));
    expect(rest).toEqual(JSON.parse(raw));
    expect(tool).toEqual(JSON.parse(raw));
    expect(text).toContain("\\ud800");
  });

  test("an array 100,000 levels deep comes back whole by REST, and cut by the tool", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const raw = JSON.stringify(issue({ body: "DEEP" })).replace('"DEEP"', deep);
    const id = await deliver(raw);
    const text = await (await get("/api/event", { id })).text();
    expect(text.includes(raw)).toBe(true);
    const client = await connectV2();
    expect(await toolValue(client, "get_event", { event_id: id })).toMatchObject({ id, truncated: true });
    expect(await pendingIds()).toEqual([id]);
  });
});

describe("signatures and headers", () => {
  test("7. during a rotation both secrets are accepted, a third is not", async () => {
    const worker = workerWith({
      WEBHOOK_IP_ALLOWLIST: "off",
      GITHUB_WEBHOOK_SECRET: "new-secret",
      GITHUB_WEBHOOK_SECRET_PREVIOUS: "old-secret",
    });
    const status = async (secret: string) =>
      (await worker(deliveryRequest(issue(), { secret, url: `${DEPLOYED}/webhooks/github` }))).status;
    expect(await status("new-secret")).toBe(202);
    expect(await status("old-secret")).toBe(202);
    expect(await status("third-secret")).toBe(403);
  });

  test("23. a delivery without the event header is 400", async () => {
    const response = await post(issue(), { event: null });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("X-GitHub-Event");
  });

  test("20. hook addresses of both families pass the allowlist, others are 403", async () => {
    // GitHub's own list can't be had in the tests: what ships with the code is in force.
    const worker = workerWith({});
    const from = (address: string | null) =>
      worker(
        deliveryRequest(issue(), {
          url: `${DEPLOYED}/webhooks/github`,
          headers: { "CF-Connecting-IP": address },
        }),
      );
    expect((await from("143.55.64.1")).status).toBe(202);
    expect((await from("2606:50c0::1")).status).toBe(202);
    for (const address of ["2001:db8::1", "203.0.113.7", "::1", "127.0.0.1", "not an address", null]) {
      const response = await from(address);
      expect([address, response.status, await response.text()]).toEqual([address, 403, "Forbidden"]);
    }
  });
});

describe("deliveries", () => {
  test("8. one GUID from two Apps is two events", async () => {
    const guid = newGuid();
    const first = await deliver(issue({ title: "to the first App" }), { guid, hook: { type: "integration", id: "1" } });
    const second = await deliver(issue({ title: "to the second" }), { guid, hook: { type: "integration", id: "2" } });
    expect(first).toBe(guid);
    expect(second).not.toBe(guid);
    const listed = await getJson<EventSummary[]>("/api/pending-events");
    expect(listed.map(({ id, title }) => [id, title])).toEqual([
      [second, "to the second"],
      [first, "to the first App"],
    ]);
    expect(listed[0]!.delivery_id).toBe(guid);
  });

  test("9. a redelivery is a duplicate: still processed, told to nobody", async () => {
    const guid = newGuid();
    const id = await deliver(issue({ title: "first" }), { guid });
    expect((await postMark({ event_id: id })).status).toBe(200);
    const listener = await listenTo(octoOrg.id);
    const client = await connectV2();
    const { cursor } = (await callTool(client, "get_pending_status")).structuredContent as { cursor: string };

    const response = await post(issue({ title: "changed" }), { guid });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ accepted: true, id, duplicate: true });

    const event = await getJson<WebhookEvent>("/api/event", { id });
    expect(event.processed).toBe(true);
    expect(event.payload).toMatchObject({ issue: { title: "first" } });
    expect(await pendingIds()).toEqual([]);
    expect(await toolValue(client, "wait_for_events", { cursor, timeout_seconds: 0 })).toEqual([]);
    // The next event is the first that is told.
    const next = await deliver(issue({ title: "next" }));
    await listener.until(1);
    expect(listener.heard).toEqual([next]);
    listener.close();
  });

  test("10. a redelivery is recognised after every object was evicted, and after every object was reset", async () => {
    const guid = newGuid();
    const id = await deliver(issue(), { guid });
    await evictAllDurableObjects();
    expect(await (await post(issue(), { guid })).json()).toEqual({ accepted: true, id, duplicate: true });
    await abortAllDurableObjects();
    expect(await (await post(issue(), { guid })).json()).toEqual({ accepted: true, id, duplicate: true });
    expect(await pendingIds()).toEqual([id]);
  });
});

describe("tenants", () => {
  test("13. an organization's ping has no repository and is accepted", async () => {
    const ping = { zen: "Keep it logically awesome.", hook_id: 1, hook: { type: "Organization", id: 1, active: true } };
    const organization = { login: octoOrg.login, id: octoOrg.id };
    const hook = { type: "organization", id: String(octoOrg.id) };
    const named = await deliver({ ...ping, organization }, { event: "ping", hook });
    const bare = await deliver(ping, { event: "ping", hook });
    expect(await stored(octoOrg.id)).toEqual([named]);
    expect(await stored(0)).toEqual([bare]);
    expect(await pendingIds()).toEqual([bare, named]);
  });

  test("14. a security_advisory goes to the operator's store", async () => {
    const id = await deliver(
      { action: "published", security_advisory: { ghsa_id: "GHSA-rf4j-j272-fj86", summary: "Something bad" } },
      { event: "security_advisory" },
    );
    expect(await stored(0)).toEqual([id]);
    expect(await pendingIds()).toEqual([id]);
  });

  test("15. a repository's webhook, without installation, goes to the owner's store", async () => {
    const id = await deliver(issue({ owner: mona, installation: null }), { hook: { type: "repository", id: "501" } });
    expect(await stored(mona.id)).toEqual([id]);
    expect(await registry.accounts()).toEqual([mona]);
  });

  test("16. an installation that was never announced registers itself with its first delivery", async () => {
    const unknown = installationOf(octoOrg);
    expect(await registry.resolve(unknown)).toBeNull();
    const id = await deliver({ ...issue(), ref: "refs/heads/main" }, { event: "push" });
    expect(await registry.resolve(unknown)).toMatchObject({ accountId: octoOrg.id, suspended: false, deleted: false });
    expect(await stored(octoOrg.id)).toEqual([id]);
  });

  test("17. what comes while an installation is suspended is stored, and the registry knows of the suspension", async () => {
    // Refusing reads by it belongs to sign-in: local mode's viewer goes on reading.
    const change = (action: string, at: string) =>
      deliver(installation(action, octoOrg, at), { event: "installation" });
    await change("created", "2026-11-01T10:00:00Z");
    await change("suspend", "2026-11-01T11:00:00Z");
    expect(await registry.resolve(installationOf(octoOrg))).toMatchObject({ suspended: true });
    const id = await deliver(issue());
    expect(await stored(octoOrg.id)).toContain(id);
    await change("unsuspend", "2026-11-01T12:00:00Z");
    expect(await registry.resolve(installationOf(octoOrg))).toMatchObject({ suspended: false });
    expect(await pendingIds()).toHaveLength(4);
  });

  test("18. two repositories that had one name are never mixed", async () => {
    const first = await deliver(issue({ repository: { id: 1, name: "app" }, title: "of the old" }));
    await deliver(issue({ repository: { id: 1, name: "renamed" }, title: "of the old, renamed" }));
    const second = await deliver(issue({ repository: { id: 2, name: "app" }, title: "of the new" }));
    // The name leads to the repository that holds it now …
    expect(await pendingIds({ repo: "octo-org/app" })).toEqual([second]);
    expect((await pendingIds({ repo: "octo-org/renamed" })).sort()).toContain(first);
    // … and who sees one repository sees nothing of the other.
    const store = env.WEBHOOK_STORE.getByName(`store-${octoOrg.id}`);
    const seen = await store.list(
      { userId: 5, repositories: [2], version: "two" },
      { order: "newest", limit: 100, filter: {} },
    );
    expect(seen.events.map(({ id }) => id)).toEqual([second]);
  });
});

test("the signature covers the raw bytes: the same JSON in other bytes is refused", async () => {
  const raw = JSON.stringify(issue());
  const response = await post(JSON.stringify(issue(), null, 1), {
    headers: { "X-Hub-Signature-256": signature(utf8(raw), WEBHOOK_SECRET) },
  });
  expect(response.status).toBe(403);
  expect(await response.text()).toBe("Invalid signature");
});

test("no bad input is a 500", async () => {
  for (const path of ["/webhooks/github", "/webhooks/github/", "/webhooks", "/api/event", "/mcp"]) {
    for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
      const response = await fetchLocal(path, { method, ...(method === "POST" && { body: "\u0000" }) });
      expect([path, method, response.status >= 500]).toEqual([path, method, false]);
    }
  }
});
