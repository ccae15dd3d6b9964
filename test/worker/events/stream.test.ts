/** `GET /events` over the Worker's own fetch: what it says, what it refuses, and that nothing of it is left behind. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deliver } from "../../support/deliveries.ts";
import { issue, octoOrg, wipe } from "../../support/payloads.ts";
import { KINDS, type StreamClient } from "../../support/stream.ts";

const open: StreamClient[] = [];
const keep = <T extends StreamClient>(client: T): T => {
  open.push(client);
  return client;
};

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
  vi.restoreAllMocks();
  await wipe();
});

/** How many listeners a store has. */
const listeners = (accountId: number) =>
  runInDurableObject(
    env.WEBHOOK_STORE.getByName(`store-${accountId}`),
    (_, state) => state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
  );

const untilListeners = async (accountId: number, n: number) => {
  for (let i = 0; i < 500; i++) {
    if ((await listeners(accountId)) === n) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`${await listeners(accountId)} listeners in place of ${n}`);
};

describe.each(KINDS)("%s", (_, openStream) => {
  test("tells the start, then each event as it arrives", async () => {
    await deliver(issue({ title: "old" }));
    const stream = keep(await openStream());
    await stream.until(() => stream.frames.length > 0);
    expect(stream.frames[0]).toEqual({ status: "connected", stores: 2, cursor: expect.stringMatching(/^s1~/) });
    const id = await deliver(issue({ title: "new", number: 7 }));
    const [event] = await stream.untilEvents(1);
    expect(event).toMatchObject({ event_id: id, type: "issues", summary: { id, title: "new", number: 7 } });
  });
});

test("a client that goes away leaves no listener at any store", async () => {
  await deliver(issue());
  for (const [, openStream] of KINDS) {
    const stream = await openStream();
    await stream.until(() => stream.frames.length > 0);
    expect(await listeners(octoOrg.id)).toBe(1);
    await stream.close();
    await untilListeners(octoOrg.id, 0);
  }
});
