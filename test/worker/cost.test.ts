/**
 * What the whole Worker asks of Durable Objects, counted: each call is billed. Rows are counted beside the store
 * (worker/src/store/cost.test.ts).
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebhookStore } from "../../worker/src/store/store.ts";
import { TenantRegistry } from "../../worker/src/tenant/tenant.ts";
import { deliver, newGuid, post } from "../support/deliveries.ts";
import { callTool, connectV2 } from "../support/mcp.ts";
import { issue, mona, octoOrg, wipe } from "../support/payloads.ts";
import { getJson } from "../support/rest.ts";

let calls: string[] = [];

beforeEach(() => {
  calls = [];
  count(WebhookStore);
  count(TenantRegistry);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await wipe();
});

/** Notes every call of a Durable Object's methods. They run in the tests' isolate, so that their class can be wrapped. */
function count({ name, prototype }: { name: string; prototype: object }): void {
  const methods = prototype as Record<string, (...args: unknown[]) => unknown>;
  for (const method of Object.getOwnPropertyNames(prototype)) {
    if (method === "constructor") continue;
    const real = methods[method]!;
    vi.spyOn(methods, method).mockImplementation(function (this: unknown, ...args: unknown[]) {
      calls.push(`${name}.${method}`);
      return real.apply(this, args);
    });
  }
}

/** The calls that `work` makes, sorted. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = calls.length;
  await work();
  return calls.slice(before).sort();
}

test("a webhook on the warm path is one Durable Object request", async () => {
  // The first one learns who the tenant is, and takes a lease of its quota.
  const cold = await callsOf(() => deliver(issue()));
  expect(cold).toContain("WebhookStore.ingest");
  for (let n = 2; n <= 100; n++) {
    expect(await callsOf(() => deliver(issue({ number: n })))).toEqual(["WebhookStore.ingest"]);
  }
});

test("a hundred webhooks at once are a hundred requests", async () => {
  await deliver(issue());
  const warm = await callsOf(() =>
    Promise.all(Array.from({ length: 100 }, (_, n) => deliver(issue({ number: n + 2 })))),
  );
  expect(warm).toEqual(Array(100).fill("WebhookStore.ingest"));
});

test("a repository's webhook and a redelivery cost one request, too", async () => {
  const guid = newGuid();
  await deliver(issue({ owner: mona, installation: null }), { guid });
  const again = await callsOf(() => post(issue({ owner: mona, installation: null }), { guid }));
  expect(again).toEqual(["WebhookStore.ingest"]);
  expect(await callsOf(() => deliver(issue({ owner: mona, installation: null })))).toEqual(["WebhookStore.ingest"]);
});

test("the registry is asked for quota once in 250 webhooks", async () => {
  const made = await callsOf(async () => {
    for (let n = 1; n <= 500; n++) await deliver(issue({ number: n }));
  });
  expect(made.filter((call) => call === "TenantRegistry.lease")).toHaveLength(2);
  expect(made.filter((call) => call === "WebhookStore.ingest")).toHaveLength(500);
}, 30_000);

test("what is refused before the store costs no request at all", async () => {
  const made = await callsOf(async () => {
    await post(issue(), { secret: "wrong" });
    await post("[]");
    await post(issue(), { event: null });
  });
  expect(made).toEqual([]);
});

test("a poll asks each store once", async () => {
  await deliver(issue({ owner: octoOrg }));
  await deliver(issue({ owner: mona }));
  const client = await connectV2();
  // Two accounts and the operator's store; local mode's viewer is who the registry says.
  const poll = ["TenantRegistry.accounts", ...Array(3).fill("WebhookStore.status")];
  expect(await callsOf(() => callTool(client, "get_pending_status"))).toEqual(poll);
  expect(await callsOf(() => getJson("/api/pending-status"))).toEqual(poll);
});
