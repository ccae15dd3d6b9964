import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createNetwork } from "../network/network.ts";
import type { BridgeState, Channel, ChannelConfig, ChannelNotification, Network, Notify, StateFile } from "../ports.ts";
import { openStateFile } from "../state/state-file.ts";
import { TestAccess, TestState } from "../worker/testing/ports.ts";
import { createChannel } from "./channel.ts";
import { StreamServer } from "./testing/stream-server.ts";

const everything: ChannelConfig = { enabled: true, types: [], repositories: [], senders: [] };
const LONG_AGO = Date.UTC(2026, 0, 1);

let server: StreamServer;
let workerUrl: string;
const open: { channel: Channel; network: Network }[] = [];

beforeEach(async () => {
  server = new StreamServer();
  workerUrl = await server.start();
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
});

afterEach(async () => {
  for (const { channel, network } of open.splice(0)) {
    channel.close();
    await network.close();
  }
  await server.stop();
  vi.restoreAllMocks();
});

/** One bridge's channel; what it notified. */
function bridge<S extends StateFile = TestState>(
  options: {
    state?: S;
    access?: TestAccess;
    config?: Partial<ChannelConfig>;
    silenceMs?: number;
    backOffMs?: number;
    backlogPatienceMs?: number;
    notify?: Notify;
  } = {},
) {
  const { access = new TestAccess(), backOffMs = 20 } = options;
  const state = (options.state ?? new TestState()) as S;
  const notified: ChannelNotification[] = [];
  const network = createNetwork({});
  const channel = createChannel({
    network,
    access,
    state,
    workerUrl,
    config: { ...everything, ...options.config },
    notify:
      options.notify ??
      (async (notification) => {
        notified.push(notification);
      }),
    backOffMs,
    ...(options.backlogPatienceMs && { backlogPatienceMs: options.backlogPatienceMs }),
    ...(options.silenceMs && { silenceMs: options.silenceMs }),
  });
  open.push({ channel, network });
  channel.start();
  const ids = () => notified.map(({ meta }) => meta.message_id);
  const has = (...expected: string[]) =>
    vi.waitFor(() => expect(ids()).toEqual(expected), { timeout: 5_000, interval: 10 });
  return { channel, state, access, notified, ids, has };
}

describe("the channel", () => {
  it("pushes what comes while it listens, and keeps its place behind each", async () => {
    server.add();
    const { channel, state, has, notified } = bridge();
    await channel.connected();
    const id = server.add();
    await has(id);
    expect(notified[0]?.content.split("\n").slice(0, 3)).toEqual(["[issues] octo/app", "action: opened", "#2 event 2"]);
    await vi.waitFor(() => expect(state.state.stream?.cursor).toBe("s1~1.2.v"));
  });

  it("pushes only what its filters want, and moves on all the same", async () => {
    const { channel, state, has } = bridge({ config: { types: ["push"], senders: ["mona"] } });
    await channel.connected();
    server.add({ type: "issues" });
    const id = server.add({ type: "push", sender: "Mona" });
    server.add({ type: "push", sender: "hubot" });
    await has(id);
    await vi.waitFor(() => expect(state.state.stream?.cursor).toBe("s1~1.3.v"));
  });

  it("opens no stream when it is off, and none before somebody has signed in", async () => {
    const off = bridge({ config: { enabled: false } });
    await off.channel.connected();
    const access = new TestAccess();
    access.answer = { outcome: "unavailable", sentence: "Nobody has signed in." };
    const waiting = bridge({ access });
    await pause(200);
    expect(server.requests).toEqual([]);
    expect(access.asked).not.toContain(true);
    access.signedIn();
    await waiting.channel.connected();
    expect(server.requests).toHaveLength(1);
  });

  it("comes again after a cut, and misses nothing and repeats nothing", async () => {
    const { channel, ids } = bridge();
    await channel.connected();
    const sent: string[] = [];
    for (let n = 0; n < 60; n++) {
      sent.push(server.add());
      if (n % 20 === 10) server.cut();
      await pause(n % 5);
    }
    await vi.waitFor(() => expect(ids()).toEqual(sent), { timeout: 10_000, interval: 20 });
  });

  it("takes up after a restart where the file stands, and repeats at most the last one", async () => {
    const state = new TestState();
    const first = bridge({ state });
    await first.channel.connected();
    const before = server.add();
    await first.has(before);
    first.channel.close();
    const missed = [server.add(), server.add()];
    const second = bridge({ state });
    await vi.waitFor(() => expect(second.ids().filter((id) => id !== before)).toEqual(missed), { timeout: 5_000 });
  });

  it("shows twenty that were missed, and says how many more there were", async () => {
    const state = new TestState({ stream: { cursor: "s1~1.0.v" } } as BridgeState);
    const missed = Array.from({ length: 57 }, () => server.add({ receivedAt: LONG_AGO }));
    const { notified, ids } = bridge({ state });
    await vi.waitFor(() => expect(notified).toHaveLength(21), { timeout: 5_000 });
    expect(ids().slice(0, 20)).toEqual(missed.slice(0, 20));
    expect(notified[20]?.content).toContain("37 more GitHub events came while nobody was listening");
    await vi.waitFor(() => expect(state.state.stream?.cursor).toBe(`s1~1.${(57).toString(36)}.v`));
    const id = server.add();
    await vi.waitFor(() => expect(ids().at(-1)).toBe(id));
  });

  it("knows from a heartbeat what was missed, where its ping gets no answer", async () => {
    server.deaf = true;
    const state = new TestState({ stream: { cursor: "s1~1.0.v" } } as BridgeState);
    for (let n = 0; n < 30; n++) server.add({ receivedAt: LONG_AGO });
    const { notified } = bridge({ state });
    await vi.waitFor(() => expect(server.listeners).toBe(1));
    server.beat();
    await vi.waitFor(() => expect(notified.at(-1)?.content).toContain("10 more GitHub events"), { timeout: 5_000 });
    expect(notified).toHaveLength(21);
  });

  it("counts again what it had counted but not told when the connection broke", async () => {
    const state = new TestState({ stream: { cursor: "s1~1.0.v" } } as BridgeState);
    for (let n = 0; n < 40; n++) server.add({ receivedAt: LONG_AGO });
    const { notified } = bridge({ state });
    await vi.waitFor(() => expect(notified.length).toBeGreaterThanOrEqual(20), { timeout: 5_000, interval: 2 });
    server.cut();
    const told = () =>
      notified.reduce((sum, { content }) => sum + Number(/^(\d+) more GitHub/.exec(content)?.[1] ?? 1), 0);
    await vi.waitFor(() => expect(told()).toBe(40), { timeout: 5_000 });
    await pause(1_500);
    expect(told()).toBe(40);
  });
});

describe("tokens", () => {
  it("are refreshed after a refusal, and the same dead one is never sent twice in a row", async () => {
    server.tokens.clear();
    server.tokens.add("token-2");
    const { channel, access } = bridge();
    await channel.connected();
    expect(access.rejected).toEqual(["token-1"]);
    expect(server.requests.map(({ token }) => token)).toEqual(["token-1", "token-2"]);
  });

  it("are refreshed when the Worker ends the stream because access was lost", async () => {
    const { channel, access } = bridge();
    await channel.connected();
    server.tokens.add("token-2");
    server.cut(4401);
    await vi.waitFor(() => expect(server.listeners).toBe(1), { timeout: 5_000 });
    expect(access.rejected).toEqual(["token-1"]);
    expect(server.requests.at(-1)?.token).toBe("token-2");
  });
});

describe("what goes wrong on the way", () => {
  it("a fresh token that is refused too is not followed by another in a hurry", async () => {
    server.tokens.clear();
    const { access } = bridge();
    await vi.waitFor(() => expect(access.rejected).toEqual(["token-1", "token-2"]));
    await pause(500);
    expect(server.requests.map(({ token }) => token)).toEqual(["token-1", "token-2"]);
    server.tokens.add("token-1");
    access.signedIn();
    await vi.waitFor(() => expect(server.listeners).toBe(1));
  });

  it("access that is lost again and again does not become a storm", async () => {
    for (const token of ["token-2", "token-3", "token-4"]) server.tokens.add(token);
    server.endsWith = 4401;
    bridge();
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    await pause(500);
    expect(server.requests).toHaveLength(2);
  });

  it("a token that can't be renewed just now is asked for again soon, not in a minute", async () => {
    const access = new TestAccess();
    access.answer = { outcome: "unavailable", sentence: "The sign-in can't be renewed now." };
    bridge({ access });
    await pause(100);
    access.answer = { outcome: "token", token: "token-1" };
    await vi.waitFor(() => expect(server.listeners).toBe(1), { timeout: 3_000 });
  });

  it("a position that can't be kept ends the stream, not the channel", async () => {
    const state = new TestState();
    const { channel, ids } = bridge({ state });
    await channel.connected();
    const update = vi.spyOn(state, "update").mockRejectedValueOnce(new Error("no"));
    const sent = [server.add(), server.add(), server.add()];
    await vi.waitFor(() => expect(ids()).toEqual(sent), { timeout: 5_000 });
    expect(update.mock.calls.length).toBeGreaterThan(1);
  });

  it("the same on a later stream leaves no rejection to nobody", async () => {
    const state = new TestState();
    const { channel, has } = bridge({ state });
    await channel.connected();
    await vi.waitFor(() => expect(server.listeners).toBe(1));
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    vi.spyOn(state, "update").mockRejectedValueOnce(new Error("no"));
    server.cut();
    await has(server.add());
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("a machine that slept during a pause tries at once (row 45)", async () => {
    const access = new TestAccess();
    access.answer = { outcome: "unavailable", sentence: "No network yet." };
    bridge({ access, backOffMs: 60_000 });
    await pause(100);
    expect(access.asked).toHaveLength(1);
    access.answer = { outcome: "token", token: "token-1" };
    const before = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => before() + 3_600_000);
    await vi.waitFor(() => expect(server.listeners).toBe(1), { timeout: 6_000 });
  });
});

describe("a connection that is dead though it looks open (row 45)", () => {
  it("is given up after silence, and what came meanwhile is delivered once", async () => {
    const { channel, has } = bridge({ silenceMs: 2_500 });
    await channel.connected();
    await vi.waitFor(() => expect(server.listeners).toBe(1));
    server.silent = true;
    const lost = [server.add(), server.add(), server.add()];
    await pause(1_000);
    server.silent = false;
    await has(...lost);
  }, 20_000);
});

describe("two bridges on one folder (row 39)", () => {
  const directory = mkdtempSync(join(tmpdir(), "channel-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("both see what is live; what came while none ran reaches one, once; the place never moves back", async () => {
    const cursors: string[] = [];
    const twoBridges = () => [1, 2].map(() => bridge({ state: watched(openStateFile(directory, workerUrl), cursors) }));
    const live = twoBridges();
    for (const { channel } of live) await channel.connected();
    await vi.waitFor(() => expect(server.listeners).toBe(2));
    const sent = Array.from({ length: 5 }, () => server.add());
    for (const { has } of live) await has(...sent);
    await vi.waitFor(async () => expect((await live[0]!.state.read()).stream?.cursor).toBe("s1~1.5.v"));
    for (const { channel } of live) channel.close();
    await vi.waitFor(() => expect(server.listeners).toBe(0));

    const missed = Array.from({ length: 5 }, () => server.add({ receivedAt: LONG_AGO }));
    const next = twoBridges();
    await vi.waitFor(() => expect(server.listeners).toBe(2), { timeout: 10_000 });
    const delivered = next.flatMap(({ ids }) => ids());
    expect(delivered).toHaveLength(missed.length);
    expect(new Set(delivered)).toEqual(new Set(missed));
    expect(cursors).toEqual([...cursors].sort());
    expect(cursors.at(-1)).toBe("s1~1.a.v");
  });
});

describe("a client that takes no notification", () => {
  const directory = mkdtempSync(join(tmpdir(), "channel-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("does not keep the backlog from the other bridges for ever", async () => {
    await openStateFile(directory, workerUrl).update(() => ({ stream: { cursor: "s1~1.0.v" } }));
    const missed = server.add({ receivedAt: LONG_AGO });
    const open = () => openStateFile(directory, workerUrl);
    const stuck = bridge({ state: open(), notify: () => new Promise(() => {}), backlogPatienceMs: 300 });
    await stuck.channel.connected();
    const { has } = bridge({ state: open() });
    await has(missed);
  });
});

/** Notes every place that is written, in the order in which it is. */
function watched(file: StateFile, cursors: string[]): StateFile {
  const update = file.update.bind(file);
  file.update = (change) =>
    update((before) => {
      const after = change(before);
      if (after.stream) cursors.push(after.stream.cursor);
      return after;
    });
  return file;
}
