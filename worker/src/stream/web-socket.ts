/**
 * A stream's client on a WebSocket. Its pings are answered here, in the Worker: the stores sleep through them.
 *
 * `bufferedAmount` is what workerd has queued and not yet written to the connection (docs/decisions/013-slow-client.md).
 */
import { CloseCode, PING, type StreamFrame } from "@github-webhook-mcp/shared/stream.ts";
import { END_MESSAGES, type EndReason, type Outlet, type OutletEvents } from "./outlet.ts";

/** What a client says besides `ping` is ignored, as long as it is no more than this. */
const MAX_MESSAGE_BYTES = 65_536;
const MAX_MESSAGES = 600;
const WINDOW_MS = 60_000;

const CLOSE_CODES = {
  "access-lost": CloseCode.accessLost,
  unavailable: CloseCode.tryAgain,
  "too-slow": CloseCode.tryAgain,
} as const satisfies Record<EndReason, number>;

export class WebSocketOutlet implements Outlet {
  /** The answer to the upgrade. */
  readonly response: Response;
  readonly #socket: WebSocket;
  readonly #events: OutletEvents;
  #open = true;
  #windowEnd = 0;
  #messages = 0;

  constructor(events: OutletEvents) {
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.#socket = server;
    this.#events = events;
    server.accept();
    server.addEventListener("message", ({ data }) => this.#said(data));
    server.addEventListener("close", () => this.#gone());
    server.addEventListener("error", () => this.#gone());
    this.response = new Response(null, { status: 101, webSocket: client });
  }

  get buffered(): number {
    return this.#socket.bufferedAmount;
  }

  send(frame: StreamFrame): void {
    // A connection that broke is no longer open before its event comes.
    if (this.#open && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  end(reason: EndReason): void {
    this.#close(CLOSE_CODES[reason], END_MESSAGES[reason]);
  }

  #said(data: string | ArrayBuffer | Blob): void {
    if (!this.#open) return;
    const now = Date.now();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + WINDOW_MS;
      this.#messages = 0;
    }
    const size = typeof data === "string" ? data.length : data instanceof Blob ? data.size : data.byteLength;
    if (++this.#messages > MAX_MESSAGES) this.#dismiss(CloseCode.misbehaved, "too many messages");
    else if (size > MAX_MESSAGE_BYTES) this.#dismiss(CloseCode.tooBig, "message too long");
    else if (data === PING) this.send({ pong: now });
  }

  #dismiss(code: number, reason: string): void {
    this.#close(code, reason);
    this.#events.onGone();
  }

  #close(code: number, reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.#socket.close(code, reason);
  }

  #gone(): void {
    this.#open = false;
    this.#events.onGone();
  }
}
