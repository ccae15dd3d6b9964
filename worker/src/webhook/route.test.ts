import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { type Config, readConfig } from "../config.ts";
import type {
  AccessChange,
  Account,
  IngestDelivery,
  IngestResult,
  InstallationRecord,
  RegistryChange,
} from "../ports.ts";
import { MAX_BODY_BYTES } from "./rejection.ts";
import { ReceiverMemory, type WebhookDeps, webhookRoute } from "./route.ts";

const SECRET = "It's a Secret to Everybody";
const GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958";
const GITHUB = "140.82.112.1";
const URL_DEPLOYED = "https://hooks.example/webhooks/github";
const URL_LOCAL = "http://127.0.0.1:8787/webhooks/github";

const octo = { id: 11, login: "octo-org", type: "Organization" };
const repository = { id: 5, full_name: "octo-org/app", owner: octo };
const issue = { action: "opened", installation: { id: 100 }, repository, issue: { number: 7, title: "😀\u2028" } };

let warn: MockInstance<typeof console.warn>;
let error: MockInstance<typeof console.error>;

beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  error = vi.spyOn(console, "error").mockImplementation(() => {});
  // GitHub's own list is another test's matter: here the one that ships with the code is in force.
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(null, { status: 503 }));
});
afterEach(() => vi.restoreAllMocks());

function config(env: Record<string, string> = {}): Config {
  const result = readConfig({ PUBLIC_URL: "https://hooks.example", GITHUB_WEBHOOK_SECRET: SECRET, ...env });
  if (!result.ok) throw new Error(result.errors.join());
  return result.config;
}

/** The receiver with a registry and stores in memory. */
class Bench implements WebhookDeps {
  now = () => 1_700_000_000_000 + this.elapsed;
  elapsed = 0;
  readonly memory = new ReceiverMemory();
  readonly accessChanges: AccessChange[] = [];
  readonly access = { apply: async (change: AccessChange) => void this.accessChanges.push(change) };
  readonly config: Config;
  readonly admitted: [Account, number | null][] = [];
  readonly changes: RegistryChange[] = [];
  readonly ingested: IngestDelivery[] = [];
  records: InstallationRecord[] = [];
  registryCalls = 0;
  /** What the stores answer. */
  answer: (delivery: IngestDelivery) => IngestResult | Promise<IngestResult> = (delivery) => ({
    outcome: "stored",
    id: delivery.guid ?? "new-id",
  });

  constructor(env: Record<string, string> = {}) {
    this.config = config(env);
  }

  waitUntil(): void {}

  readonly registry = {
    resolve: async (id: number) => {
      this.registryCalls++;
      return this.records.find((record) => record.installationId === id) ?? null;
    },
    admit: async (account: Account, installationId: number | null) => {
      this.registryCalls++;
      this.admitted.push([account, installationId]);
      return { accountId: account.id };
    },
    apply: async (change: RegistryChange) => {
      this.registryCalls++;
      this.changes.push(change);
      return { installed: change.kind !== "uninstalled" };
    },
  };

  readonly stores = {
    store: (accountId: number) => ({
      ingest: async (delivery: IngestDelivery) => {
        expect(delivery.accountId).toBe(accountId);
        this.ingested.push(delivery);
        return this.answer(delivery);
      },
    }),
  };

  post(body: unknown, options: Options = {}): Promise<Response> {
    return webhookRoute(request(body, options), this);
  }
}

interface Options {
  url?: string;
  method?: string;
  secret?: string | null;
  headers?: Record<string, string | null>;
}

/** A delivery as GitHub sends it: JSON unless `body` is bytes, signed over the bytes. */
function request(
  body: unknown,
  { url = URL_DEPLOYED, method = "POST", secret = SECRET, headers = {} }: Options,
): Request {
  const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body));
  const all = new Headers({
    "CF-Connecting-IP": GITHUB,
    "Content-Type": "application/json",
    "X-GitHub-Event": "issues",
    "X-GitHub-Delivery": GUID,
    "X-GitHub-Hook-Installation-Target-Type": "integration",
    "X-GitHub-Hook-Installation-Target-ID": "42",
  });
  if (secret !== null) all.set("X-Hub-Signature-256", sign(secret, bytes));
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name);
    else all.set(name, value);
  }
  return new Request(url, { method, headers: all, body: method === "POST" ? bytes : null });
}

function sign(secret: string, bytes: Uint8Array, hash = "sha256"): string {
  return `${hash}=${createHmac(hash, secret).update(bytes).digest("hex")}`;
}

async function shown(response: Response): Promise<[number, string]> {
  return [response.status, await response.text()];
}

const bytes = (text: string) => new TextEncoder().encode(text);
const from = (address: string | null) => ({ headers: { "CF-Connecting-IP": address } });

describe("accepted", () => {
  test("a signed delivery is stored, then answered 202 with its id", async () => {
    const bench = new Bench();
    expect(await shown(await bench.post(issue))).toEqual([202, `{"accepted":true,"id":"${GUID}"}`]);
    expect(bench.ingested).toHaveLength(1);
    expect(bench.ingested[0]).toMatchObject({
      accountId: 11,
      guid: GUID,
      deliveryId: GUID,
      type: "issues",
      repository: 5,
      repositoryName: "octo-org/app",
      text: { title: "😀\u2028", repository: "octo-org/app" },
      payload: { size: bytes(JSON.stringify(issue)).length },
      quotaExempt: false,
    });
    expect(bench.ingested[0]?.key).toHaveLength(24);
    expect(JSON.parse(bench.ingested[0]!.summary)).toMatchObject({ action: "opened", number: 7, title: "😀\u2028" });
  });

  test("a duplicate says so", async () => {
    const bench = new Bench();
    bench.answer = () => ({ outcome: "duplicate", id: "first-id" });
    expect(await shown(await bench.post(issue))).toEqual([202, '{"accepted":true,"id":"first-id","duplicate":true}']);
  });

  test("on the warm path the registry is not asked, and the store once", async () => {
    const bench = new Bench();
    await bench.post(issue);
    bench.registryCalls = 0;
    bench.ingested.length = 0;
    await bench.post(issue);
    expect([bench.registryCalls, bench.ingested.length]).toEqual([0, 1]);
  });

  test("an event without a repository has repository 0", async () => {
    const bench = new Bench();
    await bench.post({ action: "member_added", organization: octo }, { headers: { "X-GitHub-Event": "organization" } });
    expect(bench.ingested[0]).toMatchObject({ repository: 0, repositoryName: null, accountId: 11 });
  });

  test("form encoding and a byte order mark are understood, signed over the raw bytes", async () => {
    const bench = new Bench();
    const form = bytes(`payload=${encodeURIComponent(JSON.stringify(issue)).replaceAll("%20", "+")}`);
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await bench.post(form, { headers })).status).toBe(202);
    expect((await bench.post(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes(JSON.stringify(issue))]))).status).toBe(202);
    expect(bench.ingested.map((delivery) => [delivery.summary, delivery.payload.size])).toEqual(
      Array(2).fill([bench.ingested[0]?.summary, bytes(JSON.stringify(issue)).length]),
    );
  });

  test("a redelivery has the same key; the same GUID of another App has another", async () => {
    const bench = new Bench();
    await bench.post(issue);
    await bench.post(issue);
    await bench.post(issue, { headers: { "X-GitHub-Hook-Installation-Target-ID": "43" } });
    const [first, again, other] = bench.ingested.map((delivery) => Buffer.from(delivery.key).toString("hex"));
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });
});

describe("method and size", () => {
  test.each(["GET", "PUT", "DELETE", "OPTIONS", "HEAD"])("%s is 405 and says what is allowed", async (method) => {
    const response = await new Bench().post(issue, { method });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
  });

  test("a body above 25 MiB is 413, told by its length or by reading", async () => {
    const bench = new Bench();
    const declared = await bench.post(issue, { headers: { "Content-Length": String(MAX_BODY_BYTES + 1) } });
    expect(declared.status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1024 * 1024;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const streamed = new Request(URL_DEPLOYED, {
      method: "POST",
      headers: { "CF-Connecting-IP": GITHUB, "X-GitHub-Event": "push" },
      body: endless,
    });
    expect((await webhookRoute(streamed, bench)).status).toBe(413);
    expect(sent).toBeLessThan(MAX_BODY_BYTES + 5 * 1024 * 1024);
  });

  test("a body that breaks off is an answer, not a hang, and the next delivery is taken", async () => {
    const bench = new Bench();
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes('{"action":'));
        controller.error(new Error("connection lost"));
      },
    });
    const request = new Request(URL_DEPLOYED, {
      method: "POST",
      headers: { "CF-Connecting-IP": GITHUB, "X-GitHub-Event": "push" },
      body: broken,
    });
    expect((await webhookRoute(request, bench)).status).toBe(400);
    expect((await bench.post(issue)).status).toBe(202);
  });
});

describe("IP allowlist", () => {
  test.each(["143.55.64.1", "2606:50c0::1", "::ffff:192.30.252.7"])("GitHub's %s passes", async (address) => {
    expect((await new Bench().post(issue, from(address))).status).toBe(202);
  });

  test.each(["2001:db8::1", "8.8.8.8", "127.0.0.1", "", "unknown", null])("%s is 403 Forbidden", async (address) => {
    const bench = new Bench();
    const refused = request(issue, from(address));
    expect(await shown(await webhookRoute(refused, bench))).toEqual([403, "Forbidden"]);
    expect(refused.bodyUsed).toBe(false);
    expect(bench.registryCalls + bench.ingested.length).toBe(0);
  });

  test("the client's own headers don't count", async () => {
    const headers = { "CF-Connecting-IP": "8.8.8.8", "X-Forwarded-For": GITHUB, "X-Real-IP": GITHUB };
    expect((await new Bench().post(issue, { headers })).status).toBe(403);
  });

  test("an operator's list replaces GitHub's, and off admits everyone who signs", async () => {
    const own = new Bench({ WEBHOOK_IP_ALLOWLIST: "10.0.0.0/8" });
    expect((await own.post(issue, from("10.1.1.1"))).status).toBe(202);
    expect((await own.post(issue, from(GITHUB))).status).toBe(403);
    const off = new Bench({ WEBHOOK_IP_ALLOWLIST: "off" });
    expect((await off.post(issue, from("8.8.8.8"))).status).toBe(202);
    expect((await off.post(issue, from(null))).status).toBe(202);
    expect(await shown(await off.post(issue, { secret: "wrong" }))).toEqual([403, "Invalid signature"]);
  });
});

describe("rate", () => {
  const limited = { WEBHOOK_RATE_PER_MINUTE: "3" };

  test("a busy tenant's signed deliveries from GitHub's shared address are never limited", async () => {
    const bench = new Bench(limited);
    for (let i = 0; i < 10; i++) expect((await bench.post(issue)).status).toBe(202);
  });

  test("failed signatures are: then the address waits a minute, others don't", async () => {
    const bench = new Bench(limited);
    for (let i = 0; i < 3; i++) expect((await bench.post(issue, { secret: "wrong" })).status).toBe(403);
    const refused = await bench.post(issue);
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect(await shown(refused)).toEqual([429, "Too Many Requests"]);
    expect((await bench.post(issue, from("140.82.112.2"))).status).toBe(202);
    bench.elapsed = 60_000;
    expect((await bench.post(issue)).status).toBe(202);
  });

  test("with the allowlist off every request counts, once, and an IPv6 address with its /64", async () => {
    const bench = new Bench({ ...limited, WEBHOOK_IP_ALLOWLIST: "off" });
    expect((await bench.post(issue, from("2001:db8::1"))).status).toBe(202);
    const wrong = { secret: "wrong", ...from("2001:db8::2") };
    expect((await bench.post(issue, wrong)).status).toBe(403);
    expect((await bench.post(issue, from("2001:db8::3"))).status).toBe(202);
    expect((await bench.post(issue, from("2001:db8::4"))).status).toBe(429);
    expect((await bench.post(issue, from("2001:db8:0:1::1"))).status).toBe(202);
  });

  test("0 is off, and an address that is not on the list costs no memory", async () => {
    const bench = new Bench({ WEBHOOK_RATE_PER_MINUTE: "0" });
    for (let i = 0; i < 10; i++) expect((await bench.post(issue, { secret: "wrong" })).status).toBe(403);
    const listed = new Bench();
    for (let i = 0; i < 10; i++) await listed.post(issue, from(`8.8.8.${i}`));
    expect(listed.memory.limiter.size).toBe(0);
  });
});

describe("signature", () => {
  test.each<[string, Options]>([
    ["missing", { secret: null }],
    ["of another secret", { secret: "other" }],
    [
      "SHA-1 only",
      { secret: null, headers: { "X-Hub-Signature": sign(SECRET, bytes(JSON.stringify(issue)), "sha1") } },
    ],
    ["malformed", { headers: { "X-Hub-Signature-256": "sha256=abc" } }],
  ])("%s is 403", async (_, options) => {
    const bench = new Bench();
    expect(await shown(await bench.post(issue, options))).toEqual([403, "Invalid signature"]);
    expect(bench.registryCalls + bench.ingested.length).toBe(0);
  });

  test("nothing is parsed before the signature holds", async () => {
    const bench = new Bench();
    const options = { secret: "other", headers: { "X-GitHub-Event": null } };
    expect(await shown(await bench.post(bytes("not json"), options))).toEqual([403, "Invalid signature"]);
  });

  test("during a rotation both secrets are accepted, a third is not", async () => {
    const bench = new Bench({ GITHUB_WEBHOOK_SECRET: "new", GITHUB_WEBHOOK_SECRET_PREVIOUS: "old" });
    expect((await bench.post(issue, { secret: "new" })).status).toBe(202);
    expect((await bench.post(issue, { secret: "old" })).status).toBe(202);
    expect((await bench.post(issue, { secret: "third" })).status).toBe(403);
  });

  test("without a secret a known installation's deliveries pass, with one warning for the isolate", async () => {
    const bench = new Bench({ GITHUB_WEBHOOK_SECRET: "" });
    bench.records = [{ installationId: 100, accountId: 11, suspended: false, deleted: false }];
    for (let i = 0; i < 3; i++) expect((await bench.post(issue, { secret: null })).status).toBe(202);
    const warnings = warn.mock.calls.map(([line]) => JSON.parse(line).event);
    expect(warnings.filter((event) => event === "webhook_signature_off")).toHaveLength(1);
  });
});

describe("body and event name", () => {
  test.each(["null", "[]", '"x"', "1", "", "{", '{"a":1}}', "{a:1}"])("%s is 400", async (text) => {
    const bench = new Bench();
    const [status, message] = await shown(await bench.post(bytes(text)));
    expect(status).toBe(400);
    expect(message).toMatch(/^Invalid JSON payload: ./);
    expect(bench.ingested).toHaveLength(0);
  });

  test("invalid UTF-8 is 400 and says so", async () => {
    const body = new Uint8Array([...bytes('{"a":"'), 0xff, 0xfe, ...bytes('"}')]);
    expect(await shown(await new Bench().post(body))).toEqual([400, expect.stringMatching(/UTF-8/)]);
  });

  test("a delivery without an event name is 400, after its body was found good", async () => {
    const headers = { "X-GitHub-Event": null };
    expect(await shown(await new Bench().post(issue, { headers }))).toEqual([
      400,
      expect.stringMatching(/X-GitHub-Event/),
    ]);
    expect(await shown(await new Bench().post(bytes("["), { headers }))).toEqual([
      400,
      expect.stringMatching(/^Invalid JSON payload/),
    ]);
  });
});

describe("tenant", () => {
  test("a signed delivery of an installation that was never announced registers it", async () => {
    const bench = new Bench();
    expect((await bench.post(issue)).status).toBe(202);
    expect(bench.admitted).toEqual([[octo, 100]]);
  });

  test("a repository's webhook goes to the owner's account", async () => {
    const bench = new Bench();
    const { installation: _, ...plain } = issue;
    await bench.post(plain, { headers: { "X-GitHub-Hook-Installation-Target-Type": "repository" } });
    expect(bench.ingested[0]?.accountId).toBe(11);
    expect(bench.admitted).toEqual([[octo, null]]);
  });

  test.each(["ping", "security_advisory", "github_app_authorization", "marketplace_purchase", "an_event_of_2030"])(
    "%s without an account goes to the operator's store",
    async (event) => {
      const bench = new Bench();
      expect((await bench.post({ action: "x" }, { headers: { "X-GitHub-Event": event } })).status).toBe(202);
      expect(bench.ingested[0]).toMatchObject({ accountId: 0, repository: 0, type: event });
    },
  );

  test("unsigned and unknown is 404, and nothing is registered", async () => {
    const bench = new Bench({ GITHUB_WEBHOOK_SECRET: "" });
    const unsigned = { secret: null };
    expect(await shown(await bench.post(issue, unsigned))).toEqual([
      404,
      '{"error":"unknown installation","installation_id":100}',
    ]);
    expect(await shown(await bench.post({ action: "x" }, unsigned))).toEqual([
      404,
      '{"error":"unknown installation","installation_id":null}',
    ]);
    expect(bench.admitted.length + bench.ingested.length).toBe(0);
  });
});

describe("lifecycle", () => {
  const installation = (action: string) => ({ action, installation: { id: 100, account: octo }, repositories: [] });
  const event = (name: string, headers: Record<string, string> = {}): Options => ({
    headers: { "X-GitHub-Event": name, ...headers },
  });

  test.each([
    ["created", "installed", "installed"],
    ["deleted", "uninstalled", "uninstalled"],
    ["new_permissions_accepted", "installed", "installed"],
    ["suspend", "suspended", undefined],
    ["unsuspend", "unsuspended", undefined],
  ])(
    "installation %s changes the registry and is stored as an event, free of quota",
    async (action, kind, lifecycle) => {
      const bench = new Bench();
      expect((await bench.post(installation(action), event("installation"))).status).toBe(202);
      expect(bench.changes).toEqual([{ kind, installationId: 100, account: octo, at: null }]);
      expect(bench.ingested[0]).toMatchObject({ accountId: 11, type: "installation", quotaExempt: true });
      expect(bench.ingested[0]?.lifecycle).toBe(lifecycle);
    },
  );

  test("a deletion that the account has outlived does not end its store", async () => {
    const bench = new Bench();
    bench.registry.apply = async () => ({ installed: true });
    await bench.post(installation("deleted"), event("installation"));
    expect(bench.ingested[0]?.lifecycle).toBe("installed");
  });

  test("from any other hook, or another App, it is stored and changes nothing", async () => {
    const bench = new Bench({ GITHUB_APP_ID: "42" });
    const sources: Record<string, string>[] = [
      { "X-GitHub-Hook-Installation-Target-Type": "repository" },
      { "X-GitHub-Hook-Installation-Target-Type": "organization" },
      { "X-GitHub-Hook-Installation-Target-ID": "43" },
    ];
    for (const source of sources) {
      expect((await bench.post(installation("deleted"), event("installation", source))).status).toBe(202);
    }
    expect(bench.changes).toEqual([]);
    expect(bench.ingested.map((delivery) => delivery.lifecycle)).toEqual([undefined, undefined, undefined]);
    await bench.post(installation("deleted"), event("installation"));
    expect(bench.changes).toHaveLength(1);
  });

  test("unsigned, it changes nothing", async () => {
    const bench = new Bench({ GITHUB_WEBHOOK_SECRET: "" });
    bench.records = [{ installationId: 100, accountId: 11, suspended: false, deleted: false }];
    const options = event("installation");
    expect((await bench.post(installation("deleted"), { ...options, secret: null })).status).toBe(202);
    expect(bench.changes).toEqual([]);
  });
});

describe("quota and failures", () => {
  test("a spent quota is 429 with the seconds to the window's end", async () => {
    const bench = new Bench();
    bench.answer = () => ({ outcome: "quota", retryAfterSeconds: 1234 });
    const response = await bench.post(issue);
    expect(response.headers.get("Retry-After")).toBe("1234");
    expect(await shown(response)).toEqual([429, '{"error":"tenant quota exceeded"}']);
  });

  test.each(["installation", "installation_repositories", "installation_target"])(
    "%s skips the quota",
    async (event) => {
      const bench = new Bench();
      await bench.post(issue, { headers: { "X-GitHub-Event": event } });
      expect(bench.ingested[0]?.quotaExempt).toBe(true);
    },
  );

  test("a store that is reset in the middle is asked once more", async () => {
    const bench = new Bench();
    let calls = 0;
    bench.answer = () => {
      if (++calls === 1) throw Object.assign(new Error("reset"), { durableObjectReset: true });
      return { outcome: "stored", id: GUID };
    };
    expect((await bench.post(issue)).status).toBe(202);
    expect(calls).toBe(2);
  });

  test.each(["store", "registry"])("a %s that fails is 503, to be delivered again", async (part) => {
    const bench = new Bench();
    const fail = async () => {
      throw Object.assign(new Error("disk full"), { remote: true });
    };
    if (part === "store") bench.answer = fail;
    else bench.registry.resolve = fail;
    const response = await bench.post(issue);
    expect(response.headers.get("Retry-After")).toMatch(/^\d+$/);
    expect(await shown(response)).toEqual([503, expect.stringContaining("redeliver")]);
    expect(bench.ingested.length).toBe(part === "store" ? 1 : 0);
    expect(JSON.parse(error.mock.calls[0]?.[0])).toMatchObject({ event: "webhook_failed", delivery: GUID });
  });
});

describe("local mode", () => {
  const local = { LOCAL_MODE: "1", PUBLIC_URL: "http://127.0.0.1:8787", GITHUB_WEBHOOK_SECRET: "" };
  const loopback: Options = { url: URL_LOCAL, secret: null, ...from("127.0.0.1") };

  test("trusts what reaches it: no allowlist, no secret needed, unknown installations register", async () => {
    const bench = new Bench(local);
    expect((await bench.post(issue, loopback)).status).toBe(202);
    expect((await bench.post(issue, { ...loopback, ...from(null) })).status).toBe(202);
    expect(bench.admitted).toEqual([[octo, 100]]);
  });

  test("checks signatures when a secret is set, and charges loopback only for those that fail", async () => {
    const bench = new Bench({ ...local, GITHUB_WEBHOOK_SECRET: SECRET, WEBHOOK_RATE_PER_MINUTE: "2" });
    const signed = { ...loopback, secret: SECRET };
    for (let i = 0; i < 5; i++) expect((await bench.post(issue, signed)).status).toBe(202);
    for (let i = 0; i < 2; i++) expect((await bench.post(issue, loopback)).status).toBe(403);
    expect((await bench.post(issue, signed)).status).toBe(429);
  });

  test("a tunnel to it works with a signature; under a public name without one nobody is trusted", async () => {
    const tunnel = { ...from("127.0.0.1"), url: "https://some.tunnel.example/webhooks/github" };
    const signed = new Bench({ ...local, GITHUB_WEBHOOK_SECRET: SECRET });
    expect((await signed.post(issue, tunnel)).status).toBe(202);
    expect((await signed.post(issue, { ...tunnel, secret: "wrong" })).status).toBe(403);
    expect((await new Bench(local).post(issue, { ...tunnel, secret: null })).status).toBe(404);
  });

  test("a deployed Worker can't be in it, whatever LOCAL_MODE says", async () => {
    const bench = new Bench(local);
    expect((await bench.post(issue, { secret: null, ...from("8.8.8.8") })).status).toBe(403);
    expect((await bench.post(issue, { secret: null })).status).toBe(404);
  });
});

test("log lines name the delivery and the reason, and show neither secret nor payload", async () => {
  const bench = new Bench();
  await bench.post(issue, { secret: "wrong" });
  await bench.post(bytes('{"title":"hush'), {});
  bench.answer = () => Promise.reject(new Error("no"));
  await bench.post(issue);
  const lines = [...warn.mock.calls, ...error.mock.calls].map(([line]) => String(line));
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty("event");
  expect(lines.map((line) => JSON.parse(line).reason).filter(Boolean)).toEqual(["signature", "body"]);
  expect(lines.join()).not.toMatch(/hush|Secret to Everybody|😀/);
});
