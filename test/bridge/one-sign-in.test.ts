/** One sign-in for all the bridges on a machine: built, each a process of its own, in front of the real Worker. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Person } from "../github/person.ts";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { type Bridge, startBridge, textsOf } from "./support/bridge.ts";
import { Home } from "./support/home.ts";
import { answered, signIn } from "./support/sign-in.ts";

const stored = temporaryState();
let home: Home;
let server: LocalServer;

beforeAll(async () => {
  server = await startServer(stored.path, { GITHUB_WEBHOOK_SECRET: "bridge" });
}, 90_000);
afterAll(() => {
  endAll();
  stored.dispose();
});
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.dispose());

test("ten bridges whose token is due: one refreshes, all are answered, nobody signs in again and nobody ends", {
  timeout: 120_000,
}, async () => {
  const first = await startBridge(server.url, { home });
  await signIn(first);
  await first.close();
  const before = home.state(server.url);
  expect(before.tokens).toBeDefined();
  // As 56 minutes later.
  home.leave(server.url, { ...before, tokens: { ...before.tokens!, receivedAt: Date.now() - 56 * 60_000 } });

  const bridges: Bridge[] = [];
  for (let n = 0; n < 10; n++) bridges.push(await startBridge(server.url, { home }));
  try {
    const answers = await Promise.all(bridges.map((bridge) => bridge.call("get_pending_status")));
    for (const { isError, content } of answers) expect(isError, JSON.stringify(content)).toBeFalsy();
    const after = home.state(server.url);
    expect(after.tokens?.refreshToken).not.toBe(before.tokens?.refreshToken);
    expect(Date.now() - after.tokens!.receivedAt).toBeLessThan(60_000);
    for (const { pid } of bridges) expect(() => process.kill(pid, 0)).not.toThrow();
    expect(home.opened()).toHaveLength(1);
    // Once more with the pair that all share now.
    const again = await Promise.all(bridges.map((bridge) => bridge.call("list_pending_events")));
    expect(again.filter(({ isError }) => isError)).toEqual([]);
    expect(home.state(server.url).tokens).toEqual(after.tokens);
  } finally {
    for (const bridge of bridges) await bridge.close();
  }
});

test("the copy that opened the browser is killed, and the next one is signed in by its page (row 24)", async () => {
  const first = await startBridge(server.url, { home });
  const page = /Open (\S+)/.exec(textsOf(await first.call("get_pending_status"))[0] ?? "")?.[1];
  expect(page).toBeDefined();
  process.kill(first.pid, "SIGKILL");
  const second = await startBridge(server.url, { home });
  try {
    const person = new Person("nobody");
    await person.press(await person.open(page!), /sign in/i);
    // Without a call: the bridge that is left goes on polling by itself.
    await vi.waitFor(() => expect(home.state(server.url).tokens).toBeDefined(), 15_000);
    await answered(second);
    expect(home.opened()).toEqual([page]);
  } finally {
    await second.close();
    await first.close();
  }
});
