/**
 * A stream's client on an event stream (SSE; HTML Standard, "Server-sent events"). Every frame that has a cursor carries
 * it as `id`, so that an EventSource sends it back by itself. A reader that has hung up is noticed by the write that
 * finds it gone, by the next heartbeat at the latest: workerd tells it no sooner, by `cancel` or by the request's signal.
 */
import type { StreamError, StreamFrame } from "@github-webhook-mcp/shared/stream.ts";
import { END_MESSAGES, type EndReason, MAX_BUFFERED_BYTES, type Outlet, type OutletEvents } from "./outlet.ts";

/** Proxies must neither keep nor hold back nor compress it: a compressor waits for more than a sparse stream has. */
const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
} as const;

const encoder = new TextEncoder();

export class EventStreamOutlet implements Outlet {
  readonly response: Response;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #open = true;

  constructor({ onGone }: OutletEvents) {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller as ReadableStreamDefaultController<Uint8Array>;
        },
        cancel: () => {
          this.#open = false;
          onGone();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
    );
    this.response = new Response(body, { headers: HEADERS });
  }

  get buffered(): number {
    return MAX_BUFFERED_BYTES - (this.#controller.desiredSize ?? MAX_BUFFERED_BYTES);
  }

  send(frame: StreamFrame): void {
    this.#write(messageOf(frame));
  }

  end(reason: EndReason): void {
    // A reader that takes nothing would not see it; what is queued before the end still goes out, ids and all.
    if (reason !== "too-slow") {
      const error = reason === "access-lost" ? "access_lost" : "unavailable";
      const data: StreamError = { error, message: END_MESSAGES[reason] };
      this.#write(`event: error\ndata: ${JSON.stringify(data)}\n\n`);
    }
    if (!this.#open) return;
    this.#open = false;
    this.#controller.close();
  }

  #write(text: string): void {
    if (this.#open) this.#controller.enqueue(encoder.encode(text));
  }
}

/** JSON text has no line break, and a cursor's alphabet has none. */
function messageOf(frame: StreamFrame): string {
  if ("heartbeat" in frame) return ": heartbeat\n\n";
  const id = "cursor" in frame ? `id: ${frame.cursor}\n` : "";
  return `${id}data: ${JSON.stringify(frame)}\n\n`;
}
