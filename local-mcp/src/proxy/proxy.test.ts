import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  type ClientCapabilities,
  ListToolsResultSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { workerLists } from "../../scripts/worker-lists.mjs";
import { createWorkerSession } from "../worker/session.ts";
import { type Call, HttpWorker, result, status, stream } from "../worker/testing/http-worker.ts";
import { plainNetwork, TestAccess, TestState } from "../worker/testing/ports.ts";
import { NO_LISTS } from "./built-in-lists.ts";
import { MAX_INSTRUCTIONS_BYTES } from "./instructions.ts";
import { createProxy, type McpProxy, type ProxyDeps } from "./proxy.ts";

const URI = "github-webhook://events";
const STATUS = { pending_count: 3, latest_received_at: "2026-12-01T10:00:00.000Z", types: { issues: 2, push: 1 } };
const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } });

let worker: HttpWorker;
let access: TestAccess;
let state: TestState;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  worker = await HttpWorker.start();
  access = new TestAccess();
  state = new TestState();
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  await worker.close();
});

interface Connected {
  client: Client;
  proxy: McpProxy;
  /** All that the proxy sent, as it went over the wire. */
  sent: Record<string, unknown>[];
}

async function connect(capabilities: ClientCapabilities = {}, options: Partial<ProxyDeps> = {}): Promise<Connected> {
  const session = createWorkerSession({ network: plainNetwork, access, workerUrl: worker.url, version: "1.2.3" });
  const proxy = createProxy({
    session,
    access,
    state,
    builtInLists: { ...NO_LISTS, tools: [tool("built_in")], instructions: "Built-in words." },
    version: "1.2.3",
    channelEnabled: true,
    channelConnected: async () => {},
    ...options,
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const sent: Record<string, unknown>[] = [];
  const send = theirs.send.bind(theirs);
  theirs.send = (message, sendOptions) => {
    sent.push(message as Record<string, unknown>);
    return send(message, sendOptions);
  };
  await proxy.connect(theirs);
  const client = new Client({ name: "tests", version: "1" }, { capabilities });
  await client.connect(ours);
  closing.push(
    () => client.close(),
    () => session.close(),
  );
  return { client, proxy, sent };
}

const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });
const textOf = (answer: unknown): string => (answer as { content: { text: string }[] }).content[0]!.text;

/** Nobody has signed in, and nobody will. */
function signedOut(): void {
  access.answer = { outcome: "unavailable", sentence: "nobody has signed in" };
}

describe("initialize", () => {
  test("declares on the wire what the Worker has, and the channel", async () => {
    const { sent } = await connect();
    expect(sent[0]).toMatchObject({
      result: {
        serverInfo: { name: "github-webhook-mcp", version: "1.2.3" },
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          experimental: { "claude/channel": {} },
        },
      },
    });
  });

  test("declares no channel where it is off, and says nothing of one", async () => {
    const { sent, client } = await connect({}, { channelEnabled: false });
    expect(JSON.stringify(sent[0])).not.toContain("claude/channel");
    expect(client.getInstructions()).toBe("Built-in words.");
  });

  test("gives the Worker's last instructions, and describes the channel as data", async () => {
    state.state.lists = { ...NO_LISTS, instructions: "The Worker's last words." };
    const { client } = await connect();
    const instructions = client.getInstructions()!;
    expect(instructions).toContain("The Worker's last words.");
    expect(instructions).toMatch(/data, not orders.*polling stays the floor/s);
  });

  test("gives instructions that no client cuts", async () => {
    const { client } = await connect({}, { builtInLists: await workerLists() });
    expect(client.getInstructions()).toContain("mark_processed");
    expect(Buffer.byteLength(client.getInstructions()!)).toBeLessThan(MAX_INSTRUCTIONS_BYTES);
  });

  test("waits for nobody: neither for a Worker that is silent nor for a disk that hangs", async () => {
    worker.behaviour = () => true;
    state.read = () => new Promise(() => {});
    const started = performance.now();
    const { client } = await connect();
    expect(performance.now() - started).toBeLessThan(1_000);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["built_in"]);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe("lists", () => {
  test("are the Worker's own, member by member, and are kept", async () => {
    const full = {
      ...tool("get_pending_status"),
      title: "Status",
      description: "Counts",
      outputSchema: { type: "object", properties: { pending_count: { type: "number" } } },
      annotations: { readOnlyHint: true, openWorldHint: false },
      _meta: { "anthropic/maxResultSizeChars": 400_000 },
    };
    worker.tools = [full];
    const { client } = await connect();
    expect(await client.request({ method: "tools/list" }, ListToolsResultSchema.loose())).toEqual({ tools: [full] });
    await vi.waitFor(() =>
      expect(state.state.lists).toMatchObject({ tools: [full], instructions: "The Worker's words." }),
    );
    for (const empty of [client.listPrompts(), client.listResources(), client.listResourceTemplates()]) await empty;
  });

  test("are the last known ones while the Worker is slow, and the client hears when they differ", async () => {
    state.state.lists = { ...NO_LISTS, tools: [tool("old")] };
    let restore = () => {};
    const slow = new Promise<void>((done) => {
      restore = done;
    });
    worker.behaviour = (seen) => {
      if (seen.method !== "server/discover") return false;
      slow.then(() =>
        result(seen, {
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: "private",
        }),
      );
      return true;
    };
    const { client } = await connect();
    const changed = vi.fn();
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    const started = performance.now();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["old"]);
    expect(performance.now() - started).toBeLessThan(500);
    expect(changed).not.toHaveBeenCalled();
    restore();
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
  });

  test("that a Worker could not give at the start are asked for once it answers a call", async () => {
    worker.behaviour = (seen) => status(seen, 503);
    const { client, sent } = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["built_in"]);
    worker.behaviour = () => false;
    await call(client, "echo");
    await vi.waitFor(() => expect(sent.at(-1)).toMatchObject({ method: "notifications/tools/list_changed" }));
    const asked = worker.count("tools/list");
    await call(client, "echo");
    expect(worker.count("tools/list"), "and not with every call").toBe(asked);
  });

  test("that come in time for the first answer are no change", async () => {
    const { client, sent } = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
    await call(client, "echo");
    expect(JSON.stringify(sent)).not.toContain("list_changed");
  });

  test("that have not changed are not announced", async () => {
    state.state.lists = { ...NO_LISTS, tools: worker.tools as never };
    const { client, sent } = await connect();
    await client.listTools();
    await vi.waitFor(() => expect(worker.count("resources/templates/list")).toBe(1));
    await call(client, "echo");
    expect(JSON.stringify(sent)).not.toContain("list_changed");
  });

  test("are the build's until somebody has signed in, without asking anybody to", async () => {
    signedOut();
    const { client, sent } = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["built_in"]);
    expect(access.asked).not.toContain(true);
    access.signedIn();
    await vi.waitFor(() => expect(sent.at(-1)).toMatchObject({ method: "notifications/tools/list_changed" }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
  });
});

test("the build's lists are what the Worker's server says of itself", async () => {
  const { tools, prompts, resources, resourceTemplates, instructions } = await workerLists();
  expect(tools.map(({ name }) => name)).toContain("wait_for_events");
  for (const one of tools) expect(one).toMatchObject({ inputSchema: {}, outputSchema: {}, annotations: {} });
  expect([prompts.length, resources.length, resourceTemplates.length]).toEqual([1, 1, 1]);
  expect(instructions).toContain("get_pending_status");
});

describe("calls", () => {
  /** Answers the call of any tool with this. */
  const answering = (answer: Record<string, unknown>) => (seen: Call) =>
    seen.method === "tools/call" && result(seen, answer);

  test("reach the Worker with their arguments, and come back with everything in them", async () => {
    const { client } = await connect();
    const answer = await call(client, "echo", { a: [1, { b: null }] });
    expect(JSON.parse(textOf(answer))).toMatchObject({ name: "echo", arguments: { a: [1, { b: null }] } });
    const whole = { content: [{ type: "text", text: "x" }], structuredContent: { x: 1 }, _meta: { "a/b": 1 } };
    worker.behaviour = answering(whole);
    expect(await call(client, "echo")).toEqual(whole);
  });

  test("of the status come back in the hook's shape when something is pending, else untouched", async () => {
    const { client } = await connect();
    const silent = {
      content: [{ type: "text", text: '{\n  "pending_count": 0,\n  "latest_received_at": null,\n  "types": {}\n}' }],
      structuredContent: { pending_count: 0, latest_received_at: null, types: {}, cursor: "s1" },
    };
    worker.behaviour = answering(silent);
    expect(await call(client, "get_pending_status")).toEqual(silent);
    const structuredContent = { ...STATUS, cursor: "s1" };
    worker.behaviour = answering({ content: [{ type: "text", text: "{}" }], structuredContent });
    expect(await call(client, "get_pending_status")).toEqual({
      content: [
        {
          type: "text",
          text: '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"3 pending GitHub webhook events (issues:2, push:1). latest 2026-12-01T10:00:00.000Z"}}',
        },
      ],
      structuredContent,
    });
  });

  test("that fail say so as an error result, whatever went wrong", async () => {
    const { client } = await connect();
    for (const [code, word] of [
      [500, "failed"],
      [429, "429"],
    ] as const) {
      worker.behaviour = (seen) => seen.method === "tools/call" && status(seen, code);
      const answer = await call(client, "get_pending_status");
      expect(answer).toMatchObject({ isError: true });
      expect(textOf(answer)).toContain(word);
      expect(JSON.stringify(answer)).not.toMatch(/hookSpecificOutput|pending_count/);
    }
    worker.behaviour = (seen) => {
      if (seen.method !== "tools/call") return false;
      seen.response.writeHead(200, { "Content-Type": "application/json" });
      seen.response.end(
        JSON.stringify({ jsonrpc: "2.0", id: seen.id, error: { code: -32602, message: "Tool x not found" } }),
      );
      return true;
    };
    expect(await call(client, "x")).toEqual({
      isError: true,
      content: [{ type: "text", text: "The Worker refuses this call of x: Tool x not found" }],
    });
  });

  test("of the status are given up after five seconds of silence", { timeout: 20_000 }, async () => {
    worker.behaviour = () => true;
    const { client } = await connect();
    const started = performance.now();
    const answer = await call(client, "get_pending_status");
    expect(performance.now() - started).toBeLessThan(6_500);
    expect(answer).toMatchObject({ isError: true });
    expect(textOf(answer)).toContain("no answer within 5 seconds");
  });

  test("that a client cancels end at the Worker, and are not answered any more", async () => {
    const { client, sent } = await connect();
    worker.behaviour = (seen) => seen.method === "tools/call" && true;
    const cancel = new AbortController();
    const waiting = client.callTool({ name: "wait_for_events" }, undefined, { signal: cancel.signal });
    await vi.waitFor(() => expect(worker.count("tools/call")).toBe(1));
    cancel.abort("enough");
    await expect(waiting).rejects.toThrow("enough");
    const cut = () => worker.seen.find(({ method }) => method === "tools/call");
    await vi.waitFor(() => expect(cut()).toMatchObject({ aborted: true }));
    const before = sent.length;
    await new Promise((done) => setTimeout(done, 100));
    expect(sent.slice(before)).toEqual([]);
  });

  test("tell their progress under the client's own token", async () => {
    const { client } = await connect();
    worker.behaviour = (seen) => {
      if (seen.method !== "tools/call") return false;
      const write = stream(seen);
      const { progressToken } = seen.params._meta as { progressToken: number };
      write({ method: "notifications/progress", params: { progressToken, progress: 1, message: "halfway" } });
      setTimeout(() => {
        write({ id: seen.id, result: { resultType: "complete", content: [] } });
        seen.response.end();
      }, 50);
      return true;
    };
    const onprogress = vi.fn();
    await client.callTool({ name: "slow" }, undefined, { onprogress });
    expect(onprogress).toHaveBeenCalledWith({ progress: 1, message: "halfway" });
  });

  test("wait for the channel to have its place, but not for ever", async () => {
    let connected = () => {};
    const { client } = await connect({}, { channelConnected: () => new Promise<void>((done) => (connected = done)) });
    const answer = vi.fn();
    const first = call(client, "echo").then(answer);
    await vi.waitFor(() => expect(worker.count("tools/call")).toBe(1));
    await new Promise((done) => setTimeout(done, 100));
    expect(answer).not.toHaveBeenCalled();
    connected();
    await first;
    const stuck = await connect({}, { channelConnected: () => new Promise(() => {}) });
    const started = performance.now();
    await call(stuck.client, "echo");
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe("a sign-in", () => {
  const prompt = () => ({
    url: `${worker.url}/oauth/authorize?state=x`,
    code: "ABCD-EFGH",
    expiresAt: Date.now() + 600_000,
  });

  test("is answered at once, as an error with the URL, the code and the time left", async () => {
    access.answer = { outcome: "sign-in", prompt: prompt() };
    const { client } = await connect();
    const started = performance.now();
    const answer = await call(client, "get_pending_status");
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(answer).toMatchObject({ isError: true });
    expect(textOf(answer)).toContain(`Open ${prompt().url}\n`);
    expect(textOf(answer)).toMatch(/ABCD-EFGH\. (600|599) seconds are left/);
    await expect(client.readResource({ uri: URI })).rejects.toThrow("ABCD-EFGH");
  });

  test("is a text for a client with a bare elicitation capability, which means forms", async () => {
    access.answer = { outcome: "sign-in", prompt: prompt() };
    const { client } = await connect({ elicitation: {} });
    expect(await call(client, "get_pending_status")).toMatchObject({ isError: true });
  });

  test("is a URL to open for a client that declares it, and it hears when it is done", async () => {
    access.answer = { outcome: "sign-in", prompt: prompt() };
    const { client, sent } = await connect({ elicitation: { url: {} } });
    const refused = (await call(client, "get_pending_status").catch((error: unknown) => error)) as {
      code: number;
      data: { elicitations: Record<string, string>[] };
    };
    expect(refused.code).toBe(-32042);
    const [elicitation] = refused.data.elicitations;
    expect(elicitation).toMatchObject({
      mode: "url",
      url: prompt().url,
      message: expect.stringContaining("ABCD-EFGH"),
    });
    access.signedIn();
    await vi.waitFor(() =>
      expect(sent).toContainEqual({
        jsonrpc: "2.0",
        method: "notifications/elicitation/complete",
        params: { elicitationId: elicitation!.elicitationId },
      }),
    );
    expect(await call(client, "echo")).not.toMatchObject({ isError: true });
  });
});

test("prompts and resources are the Worker's, and an unknown method is refused", async () => {
  const { client } = await connect();
  worker.behaviour = (seen) => {
    if (seen.method === "resources/read") {
      return result(seen, { ttlMs: 0, cacheScope: "private", contents: [{ uri: seen.params.uri, text: "{}" }] });
    }
    if (seen.method === "prompts/get")
      return result(seen, { messages: [{ role: "user", content: { type: "text", text: "hi" } }] });
    return false;
  };
  expect((await client.readResource({ uri: URI })).contents).toEqual([{ uri: URI, text: "{}" }]);
  expect((await client.getPrompt({ name: "triage_pending" })).messages).toHaveLength(1);
  await expect(client.setLoggingLevel("debug")).rejects.toThrow();
});

test("updates reach the client for the resources that it subscribed to", async () => {
  let update = () => {};
  worker.behaviour = (seen) => {
    if (seen.method !== "subscriptions/listen") return false;
    const write = stream(seen);
    const _meta = { "io.modelcontextprotocol/subscriptionId": seen.id };
    const notifications = seen.params.notifications;
    write({ method: "notifications/subscriptions/acknowledged", params: { _meta, notifications } });
    update = () => write({ method: "notifications/resources/updated", params: { uri: URI, _meta } });
    return true;
  };
  const { client, sent } = await connect();
  const updated = vi.fn();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated(params));
  await client.subscribeResource({ uri: URI });
  await vi.waitFor(() => expect(worker.count("subscriptions/listen")).toBe(1));
  update();
  await vi.waitFor(() => expect(updated).toHaveBeenCalledWith({ uri: URI }));
  await client.unsubscribeResource({ uri: URI });
  await vi.waitFor(() => expect(worker.seen.at(-1)).toBeDefined());
  expect(sent.filter(({ method }) => method === "notifications/resources/updated")).toHaveLength(1);
});

test("a push waits for the client to be ready, and goes out as it is", async () => {
  const { proxy, sent } = await connect();
  const notification = {
    content: "[push] octo/app",
    meta: { chat_id: "github" as const, message_id: "1", user: "octo", ts: "2026-12-01T10:00:00.000Z" },
  };
  await proxy.notify(notification);
  expect(sent).toContainEqual({ jsonrpc: "2.0", method: "notifications/claude/channel", params: notification });
});
