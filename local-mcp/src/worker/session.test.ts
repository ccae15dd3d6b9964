import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { WorkerSession } from "../ports.ts";
import { createWorkerSession } from "./session.ts";
import { type Behaviour, type Call, error, HttpWorker, result, status, stream } from "./testing/http-worker.ts";
import { plainNetwork, TestAccess } from "./testing/ports.ts";

let worker: HttpWorker;
let access: TestAccess;
let session: WorkerSession;

function openSession(workerUrl = worker.url): WorkerSession {
  return createWorkerSession({ network: plainNetwork, access, workerUrl, version: "1.2.3" });
}

beforeEach(async () => {
  worker = await HttpWorker.start();
  access = new TestAccess();
  session = openSession();
});
afterEach(async () => {
  await session.close();
  await worker.close();
});

const call = (name: string, options: Partial<Parameters<WorkerSession["request"]>[2]> = {}) =>
  session.request("tools/call", { name, arguments: {} }, { interactive: true, ...options });

/** Leaves everything but this method to the server. */
const on =
  (method: string, behaviour: Behaviour): Behaviour =>
  (seen) =>
    seen.method === method && behaviour(seen);

describe("requests", () => {
  test("share one connection, and come back as the Worker answered", async () => {
    const answers = await Promise.all([
      call("a"),
      call("b"),
      session.request("tools/list", undefined, { interactive: true }),
    ]);
    expect(answers[0]).toMatchObject({ outcome: "result", result: { content: [{ type: "text" }] } });
    expect(answers[2]).toMatchObject({ outcome: "result", result: { tools: worker.tools } });
    expect(worker.count("server/discover")).toBe(1);
    expect(session.instructions()).toBe("The Worker's words.");
    expect(new Set(worker.seen.map(({ token }) => token))).toEqual(new Set(["token-1"]));
  });

  test("give the Worker's JSON-RPC error, whatever the HTTP status", async () => {
    worker.behaviour = on("tools/call", (seen) =>
      error(seen, seen.params.name === "a" ? 200 : 400, -32602, "no such tool"),
    );
    const refused = { outcome: "error", error: { code: -32602, message: "no such tool" } };
    expect(await call("a")).toEqual(refused);
    expect(await call("b")).toEqual(refused);
    expect(await session.request("nothing/here", {}, { interactive: true })).toMatchObject({
      outcome: "error",
      error: { code: -32601 },
    });
  });

  test("report progress", async () => {
    worker.behaviour = on("tools/call", (seen) => {
      const write = stream(seen);
      const { progressToken } = seen.params._meta as { progressToken: string };
      write({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
      write({ id: seen.id, result: { resultType: "complete", content: [] } });
      seen.response.end();
      return true;
    });
    const told: object[] = [];
    expect(await call("a", { onProgress: (progress) => told.push(progress) })).toMatchObject({ outcome: "result" });
    expect(told).toEqual([{ progress: 1, total: 2 }]);
  });

  test("end at the Worker when they are cancelled", async () => {
    worker.behaviour = on("tools/call", () => true);
    const cancel = new AbortController();
    const waiting = call("wait", { signal: cancel.signal });
    await vi.waitFor(() => expect(worker.count("tools/call")).toBe(1));
    cancel.abort();
    await waiting;
    await vi.waitFor(() => expect(worker.seen.at(-1)).toMatchObject({ method: "tools/call", aborted: true }));
  });

  test("end soon when the stream of their answer breaks", async () => {
    worker.behaviour = on("tools/call", (seen) => {
      stream(seen);
      setTimeout(() => seen.response.destroy(), 50);
      return true;
    });
    const started = performance.now();
    expect(await call("wait")).toMatchObject({ outcome: "unavailable", sentence: expect.stringContaining("broke") });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("a sign-in", () => {
  test("that a person has to do is answered without asking the Worker", async () => {
    const prompt = { url: "https://worker.example/oauth/authorize", code: "ABCD-EFGH", expiresAt: 1 };
    access.answer = { outcome: "sign-in", prompt };
    expect(await call("a")).toEqual({ outcome: "sign-in", prompt });
    expect(worker.seen).toEqual([]);
  });

  test("is asked of a person only where the caller says so", async () => {
    await call("a", { interactive: false });
    await call("a", { interactive: true });
    expect(access.asked).toEqual([false, true]);
  });

  test("whose token the Worker refuses is renewed, and the request made again", async () => {
    worker.behaviour = (seen) => seen.token === "token-1" && status(seen, 401);
    expect(await call("a")).toMatchObject({ outcome: "result" });
    expect(access.rejected).toEqual(["token-1"]);
    expect(worker.seen.map(({ method, token }) => [method, token])).toEqual([
      ["server/discover", "token-1"],
      ["server/discover", "token-2"],
      ["tools/call", "token-2"],
    ]);
  });

  test("whose token expires within the session goes on with the next one", async () => {
    await call("a");
    worker.behaviour = (seen) => seen.token === "token-1" && status(seen, 401);
    expect(await call("b")).toMatchObject({ outcome: "result" });
    expect(worker.count("server/discover")).toBe(1);
  });

  test("that is refused always costs two calls, and none more for a while", async () => {
    worker.behaviour = (seen) => status(seen, 401);
    for (let i = 0; i < 3; i++) {
      expect(await call("a")).toMatchObject({ outcome: "unavailable", sentence: expect.stringContaining("logout") });
    }
    expect(worker.seen).toHaveLength(2);
  });
});

const html = { "Content-Type": "text/html; charset=utf-8" };

test.each<[string, (seen: Call) => true, RegExp]>([
  ["429 with a time", (seen) => status(seen, 429, { "Retry-After": "17" }), /HTTP 429.*17 seconds/],
  ["429", (seen) => status(seen, 429), /HTTP 429.*a minute/],
  ["500", (seen) => status(seen, 500, html, "<h1>Error 1101</h1>"), /failed \(HTTP 500\).*Try again/],
  ["a web page", (seen) => status(seen, 200, html, "<p>Welcome"), /web page.*WEBHOOK_WORKER_URL/],
  ["404", (seen) => status(seen, 404, html, "<p>Not found"), /no MCP endpoint.*WEBHOOK_WORKER_URL/],
  [
    "404 as text",
    (seen) => status(seen, 404, {}, "Not found"),
    /no MCP endpoint.*WEBHOOK_WORKER_URL|ended the session/,
  ],
  ["403", (seen) => status(seen, 403, {}, "error code: 1010"), /HTTP 403.*doctor/],
  [
    "a scope that the sign-in lacks",
    (seen) =>
      status(seen, 403, {
        "WWW-Authenticate": 'Bearer realm="x", error="insufficient_scope", scope="events:read events:write"',
      }),
    /needs events:read events:write.*logout/,
  ],
  [
    "JSON that is no MCP",
    (seen) => status(seen, 200, { "Content-Type": "application/json" }, '"hello"'),
    /can't be read/,
  ],
  ["nonsense", (seen) => status(seen, 200, { "Content-Type": "application/json" }, "{"), /can't be read/],
])("%s is said with what to do, and never as an all-clear", async (_, answer, sentence) => {
  for (const method of ["server/discover", "tools/call"]) {
    worker.behaviour = (seen) => (seen.method === method || seen.method === "initialize") && answer(seen);
    const own = openSession();
    const outcome = await own.request("tools/call", { name: "a" }, { interactive: true });
    await own.close();
    expect(outcome).toMatchObject({ outcome: "unavailable", sentence: expect.stringMatching(sentence) });
    expect(outcome).toMatchObject({ sentence: expect.stringContaining("says nothing about your events") });
  }
});

test("a redirect to another origin gets no token, and is named", async () => {
  const other = await HttpWorker.start();
  worker.behaviour = (seen) => status(seen, 308, { Location: `${other.url}/mcp` });
  expect(await call("a")).toMatchObject({
    outcome: "unavailable",
    sentence: expect.stringMatching(new RegExp(`redirects to ${other.url}.*WEBHOOK_WORKER_URL`)),
  });
  expect(other.seen.map(({ token }) => token).filter(Boolean)).toEqual([]);
  await other.close();
});

test("a Worker that can't be reached is said with the network's own sentence, and works again once it is back", async () => {
  const { port, url } = worker;
  await worker.close();
  session = openSession(url);
  expect(await call("a")).toMatchObject({ outcome: "unavailable", sentence: expect.stringContaining("doctor") });
  worker = await HttpWorker.start(port);
  expect(await call("a")).toMatchObject({ outcome: "result" });
});

test("a Worker that is silent is given up after the caller's time", async () => {
  worker.behaviour = () => true;
  const started = performance.now();
  expect(await call("a", { timeoutMs: 300 })).toMatchObject({
    outcome: "unavailable",
    sentence: expect.stringContaining("no answer within 0.3 seconds"),
  });
  expect(performance.now() - started).toBeLessThan(3_000);
});

describe("watched resources", () => {
  const URI = "github-webhook://events";

  test("are told as they change, and again after the stream broke", async () => {
    let subscriptions = 0;
    let write: (message: Record<string, unknown>) => void = () => {};
    let current: Call | undefined;
    worker.behaviour = on("subscriptions/listen", (seen) => {
      subscriptions++;
      current = seen;
      write = stream(seen);
      const _meta = { "io.modelcontextprotocol/subscriptionId": seen.id };
      write({
        method: "notifications/subscriptions/acknowledged",
        params: { _meta, notifications: { resourceSubscriptions: [URI] } },
      });
      return true;
    });
    const told: unknown[] = [];
    session.onNotification((method, params) => told.push([method, params.uri]));
    session.watchResources([URI]);
    await vi.waitFor(() => expect(subscriptions).toBe(1));
    const update = () =>
      write({
        method: "notifications/resources/updated",
        params: { uri: URI, _meta: { "io.modelcontextprotocol/subscriptionId": current!.id } },
      });
    update();
    await vi.waitFor(() => expect(told).toEqual([["notifications/resources/updated", URI]]));
    current!.response.destroy();
    // What came while nobody listened can't be known: it counts as a change.
    await vi.waitFor(() => expect(told).toHaveLength(2), { timeout: 10_000 });
    update();
    await vi.waitFor(() => expect(told).toHaveLength(3));
    session.watchResources([]);
    await vi.waitFor(() => expect(worker.seen.find((seen) => seen === current)).toMatchObject({ aborted: true }));
    expect(subscriptions).toBe(2);
  });

  test("are listened for as soon as somebody has signed in", async () => {
    access.answer = { outcome: "unavailable", sentence: "nobody" };
    session.watchResources([URI]);
    await vi.waitFor(() => expect(access.asked).toHaveLength(1));
    worker.behaviour = on("subscriptions/listen", (seen) => result(seen, {}));
    access.signedIn();
    await vi.waitFor(() => expect(worker.count("subscriptions/listen")).toBeGreaterThan(0));
    expect(access.asked).not.toContain(true);
  });

  test("are listened for with a new token when the old one is refused", async () => {
    worker.behaviour = (seen) => {
      if (seen.method !== "subscriptions/listen") return false;
      if (seen.token === "token-1") return status(seen, 401);
      stream(seen);
      return true;
    };
    session.watchResources([URI]);
    await vi.waitFor(
      () => expect(worker.seen.at(-1)).toMatchObject({ method: "subscriptions/listen", token: "token-2" }),
      {
        timeout: 5_000,
      },
    );
    expect(access.rejected).toEqual(["token-1"]);
  });
});

test("many requests at once, all with a token that is refused, have it renewed once", async () => {
  worker.behaviour = (seen) => seen.token !== "token-2" && status(seen, 401);
  const answers = await Promise.all(Array.from({ length: 5 }, () => call("a")));
  for (const answer of answers) expect(answer).toMatchObject({ outcome: "result" });
  expect(access.rejected).toEqual(["token-1"]);
});
