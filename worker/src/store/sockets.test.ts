import { evictDurableObject, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import type { LiveFrame, LiveHello } from "../ports.ts";
import type { StoreViewer } from "../viewer.ts";
import { delivery, guidOf } from "./testing/deliveries.ts";

const open: WebSocket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.close(1000);
  await reset();
});

const store = () => env.WEBHOOK_STORE.getByName("store-1");
const owner: StoreViewer = { userId: 7, repositories: "all", version: "all" };
const limited = (...repositories: number[]): StoreViewer => ({
  userId: 8,
  repositories,
  version: `v${repositories.join("_")}`,
});

/** A listener that has said hello; `frames` fills as they come. */
async function listen(hello: LiveHello | string) {
  const response = await store().fetch("https://store/live", { headers: { upgrade: "websocket" } });
  const socket = response.webSocket!;
  socket.accept();
  open.push(socket);
  const frames: LiveFrame[] = [];
  const raw: string[] = [];
  const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
  socket.addEventListener("message", ({ data }) => {
    raw.push(String(data));
    if (String(data).startsWith("{")) frames.push(JSON.parse(String(data)));
  });
  socket.send(typeof hello === "string" ? hello : JSON.stringify(hello));
  const until = async (n: number) => {
    for (let i = 0; i < 200 && frames.length < n; i++) await new Promise((resolve) => setTimeout(resolve, 5));
    return frames;
  };
  return { socket, frames, raw, closed, until };
}

const idsOf = (frames: LiveFrame[]) => frames.flatMap((frame) => ("event" in frame ? [frame.event.id] : []));

it("tells a listener from which seq it hears everything, then each event that its viewer may see and wants", async () => {
  await store().ingest(delivery({ n: 1, repo: 10 }));
  const all = await listen({ viewer: owner, filter: {} });
  const some = await listen({ viewer: limited(10), filter: { types: ["push"], exclude_bots: true } });
  expect((await all.until(1))[0]).toEqual({ ready: 1 });
  await some.until(1);
  await store().ingest(delivery({ n: 2, repo: 20, type: "push" }));
  await store().ingest(delivery({ n: 3, repo: 10, type: "issues" }));
  await store().ingest(delivery({ n: 4, repo: 10, type: "push", bot: true }));
  await store().ingest(delivery({ n: 5, repo: 10, type: "push" }));
  await store().ingest(delivery({ n: 5, repo: 10, type: "push" }));
  expect(idsOf(await all.until(5))).toEqual([2, 3, 4, 5].map(guidOf));
  expect(idsOf(await some.until(2))).toEqual([guidOf(5)]);
});

it("remembers its listeners over hibernation", async () => {
  const listener = await listen({ viewer: limited(10), filter: {} });
  await listener.until(1);
  await evictDurableObject(store());
  await store().ingest(delivery({ n: 1, repo: 10 }));
  await store().ingest(delivery({ n: 2, repo: 20 }));
  expect(idsOf(await listener.until(2))).toEqual([guidOf(1)]);
});

it("takes a new hello when access or filter changes", async () => {
  const listener = await listen({ viewer: limited(10), filter: {} });
  await listener.until(1);
  listener.socket.send(JSON.stringify({ viewer: limited(20), filter: {} } satisfies LiveHello));
  await listener.until(2);
  await store().ingest(delivery({ n: 1, repo: 10 }));
  await store().ingest(delivery({ n: 2, repo: 20 }));
  expect(idsOf(await listener.until(3))).toEqual([guidOf(2)]);
});

it("answers a ping itself and tells nothing to a socket that has not said hello", async () => {
  const listener = await listen("ping");
  await store().ingest(delivery({ n: 1 }));
  for (let i = 0; i < 50 && listener.raw.length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(listener.raw).toEqual(["pong"]);
});

it("closes a socket that says something else", async () => {
  for (const text of ["hello", "{}", '{"viewer":{"userId":"1"},"filter":{}}']) {
    const listener = await listen(text);
    expect(await listener.closed).toBe(1008);
  }
});

it("asks for an upgrade where none is asked for", async () => {
  expect((await store().fetch("https://store/live")).status).toBe(426);
});
