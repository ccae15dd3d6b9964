/** What a store tells its listeners, overheard. */
import { env } from "cloudflare:workers";
import type { LiveFrame, LiveHello } from "../../worker/src/ports.ts";
import type { StoreViewer } from "../../worker/src/viewer.ts";

export interface Listener {
  /** Ids of the events that were told, in order. */
  readonly heard: string[];
  /** Resolves when `n` events have been told. */
  until(n: number): Promise<void>;
  close(): void;
}

/** Sees everything in the store. */
const EVERYTHING: StoreViewer = { userId: 0, repositories: "all", version: "all" };

/** Listens on a store's live socket; resolves once the store has said that it tells everything from now on. */
export async function listenTo(accountId: number, viewer: StoreViewer = EVERYTHING): Promise<Listener> {
  const store = env.WEBHOOK_STORE.getByName(`store-${accountId}`);
  const response = await store.fetch("https://store/live", { headers: { Upgrade: "websocket" } });
  const socket = response.webSocket!;
  socket.accept();
  const heard: string[] = [];
  const waiting: { n: number; done: () => void }[] = [];
  const ready = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(data as string) as LiveFrame;
    if ("ready" in frame) return ready.resolve();
    heard.push(frame.event.id);
    for (const { n, done } of waiting) if (heard.length >= n) done();
  });
  socket.send(JSON.stringify({ viewer, filter: {} } satisfies LiveHello));
  await ready.promise;
  return {
    heard,
    until: (n) => new Promise((done) => (heard.length >= n ? done() : waiting.push({ n, done }))),
    close: () => socket.close(1000),
  };
}
