/** Clients of `GET /events` inside workerd: a WebSocket and a reader of an event stream, as tests look at them. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { EventFrame, StreamFrame } from "@github-webhook-mcp/shared/stream.ts";
import { type Fetch, fetchSignedIn } from "./worker.ts";

/** A stream as its client sees it. */
export interface StreamClient {
  /** Frames in the order of their arrival; SSE comments and errors are in `lines` only. */
  readonly frames: StreamFrame[];
  /** Everything that came, as text: messages of a WebSocket, lines of an event stream. */
  readonly lines: string[];
  /** Event frames so far. */
  events(): EventFrame[];
  /** Resolves when `wanted` holds; fails after a while. */
  until(wanted: () => boolean, what?: string): Promise<void>;
  /** Resolves when there are `n` event frames. */
  untilEvents(n: number): Promise<EventFrame[]>;
  /** With what the stream ended, once it has: the close code, or `end`. */
  readonly ended: Promise<number | "end">;
  close(): Promise<void>;
}

export type Open = (query?: string, headers?: Record<string, string>, fetch?: Fetch) => Promise<StreamClient>;

/** All streams that were opened; a test file closes them after each test. */
export const streams = {
  open: new Set<StreamClient>(),
  async closeAll(): Promise<void> {
    for (const stream of this.open) await stream.close();
    this.open.clear();
  },
};

function kept<Client extends StreamClient>(client: Client): Client {
  streams.open.add(client);
  return client;
}

/** How many listeners a store has. */
export function listeners(accountId: number): Promise<number> {
  return runInDurableObject(
    env.WEBHOOK_STORE.getByName(`store-${accountId}`),
    (_, state) => state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
  );
}

const PATIENCE_MS = 20_000;

abstract class Recorder implements StreamClient {
  readonly frames: StreamFrame[] = [];
  readonly lines: string[] = [];
  abstract readonly ended: Promise<number | "end">;
  abstract close(): Promise<void>;

  events(): EventFrame[] {
    return this.frames.filter((frame): frame is EventFrame => "event_id" in frame);
  }

  async until(wanted: () => boolean, what = "what was waited for"): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
      if (wanted()) return;
      await new Promise((done) => setTimeout(done, 2));
    }
    throw new Error(`${what} did not come; last: ${this.lines.slice(-3).join(" | ")}`);
  }

  async untilEvents(n: number): Promise<EventFrame[]> {
    await this.until(() => this.events().length >= n, `event ${n} (of ${this.events().length})`);
    return this.events();
  }
}

class SocketClient extends Recorder {
  readonly socket: WebSocket;
  readonly ended: Promise<number>;

  constructor(socket: WebSocket) {
    super();
    this.socket = socket;
    this.ended = new Promise((done) => socket.addEventListener("close", ({ code }) => done(code)));
    socket.addEventListener("message", ({ data }) => {
      this.lines.push(String(data));
      this.frames.push(JSON.parse(String(data)));
    });
    socket.accept();
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.close(1000);
  }
}

class EventStreamClient extends Recorder {
  readonly ended: Promise<"end">;
  #cancelled = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(body: ReadableStream<Uint8Array>) {
    super();
    this.#reader = body.getReader();
    this.ended = this.#read();
  }

  async close(): Promise<void> {
    this.#cancelled = true;
    await this.#reader.cancel();
  }

  async #read(): Promise<"end"> {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await this.#reader.read().catch((error: unknown) => {
        // Our own cancel ends a read that is under way.
        if (!this.#cancelled) throw error;
        return { done: true, value: undefined } as const;
      });
      if (done) return "end";
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const [i, line] of lines.entries()) {
        this.lines.push(line);
        const isError = lines[i - 1]?.startsWith("event: ") || this.lines.at(-2)?.startsWith("event: ");
        if (line.startsWith("data: ") && !isError) this.frames.push(JSON.parse(line.slice(6)));
      }
    }
  }
}

/** The client of a WebSocket that was opened by hand, and reads from now on. */
export const recordSocket = (socket: WebSocket): StreamClient => kept(new SocketClient(socket));

/** Opens a WebSocket; what is refused before the upgrade is thrown. */
export const openSocket = async (
  query = "",
  headers: Record<string, string> = {},
  fetch: Fetch = fetchSignedIn,
): Promise<StreamClient & { socket: WebSocket }> => {
  const response = await fetch(`/events${query}`, { headers: { Upgrade: "websocket", ...headers } });
  if (!response.webSocket) throw new Error(`${response.status}: ${await response.text()}`);
  return kept(new SocketClient(response.webSocket));
};

/** Opens an event stream. */
export const openEventStream: Open = async (query = "", headers = {}, fetch = fetchSignedIn) => {
  const response = await fetch(`/events${query}`, { headers: { Accept: "text/event-stream", ...headers } });
  if (response.status !== 200 || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  return kept(new EventStreamClient(response.body));
};

/** Both kinds, for tests that hold for either. */
export const KINDS: [name: string, open: Open][] = [
  ["WebSocket", openSocket],
  ["SSE", openEventStream],
];
