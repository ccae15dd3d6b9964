/** One WebSocket over a dispatcher of undici, with what its own class hides: the status of a refusal, and a hard end. */
import type { Duplex } from "node:stream";
import { DecoratorHandler, type Dispatcher, WebSocket } from "undici";
import type { Socket, SocketHandlers } from "../ports.ts";
import { NetworkError, sentenceOf } from "./network-error.ts";

/** How long a server may take to answer the upgrade. */
const OPEN_TIMEOUT_MS = 15_000;
/** How long the other side may take to answer a close. */
const CLOSE_PATIENCE_MS = 500;

/** What came of the upgrade request. */
interface Seen {
  status: number | null;
  error: unknown;
  /** The connection, once it is a WebSocket. */
  stream: Duplex | null;
}

/**
 * Opens a WebSocket to an `http:` or `https:` URL.
 * @throws NetworkError, with the status where the server answered with another one than 101
 */
export async function openWebSocket(
  dispatcher: Dispatcher,
  url: string,
  headers: Record<string, string>,
  handlers: SocketHandlers,
): Promise<Socket> {
  const seen: Seen = { status: null, error: null, stream: null };
  const watched = dispatcher.compose((dispatch) => (options, handler) => dispatch(options, new Watch(handler, seen)));
  const webSocket = new WebSocket(url.replace(/^http/, "ws"), { dispatcher: watched, headers });

  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new NetworkError(sentenceOf(null, url, OPEN_TIMEOUT_MS / 1_000)));
      seen.stream?.destroy();
      webSocket.close();
    }, OPEN_TIMEOUT_MS);
    const settle = () => {
      clearTimeout(timer);
      webSocket.removeEventListener("open", onOpen);
      webSocket.removeEventListener("error", onError);
    };
    const onOpen = () => {
      settle();
      resolve();
    };
    const onError = () => {
      settle();
      reject(refusal(seen, url));
    };
    webSocket.addEventListener("open", onOpen);
    webSocket.addEventListener("error", onError);
  });

  let ended = false;
  const end = (code: number, reason: string) => {
    if (ended) return;
    ended = true;
    handlers.onClose(code, reason);
  };
  webSocket.addEventListener("message", ({ data }) => {
    if (typeof data === "string" && !ended) handlers.onText(data);
  });
  webSocket.addEventListener("close", ({ code, reason }) => end(code, reason));
  webSocket.addEventListener("error", () => end(1006, ""));
  return {
    sendText: (text) => {
      if (webSocket.readyState === WebSocket.OPEN) webSocket.send(text);
    },
    close: () => {
      webSocket.close();
      setTimeout(() => {
        seen.stream?.destroy();
        end(1006, "");
      }, CLOSE_PATIENCE_MS).unref();
    },
  };
}

function refusal({ status, error }: Seen, url: string): NetworkError {
  if (status === null) return new NetworkError(sentenceOf(error, url));
  const { host } = new URL(url);
  const hint = status === 200 ? " A proxy on the way may not pass WebSockets." : "";
  return new NetworkError(`${host} refuses the event stream (HTTP ${status}).${hint}`, status);
}

/** Notes what happens to the upgrade request on its way through. */
class Watch extends DecoratorHandler {
  readonly #handler: Dispatcher.DispatchHandlers;
  readonly #seen: Seen;

  constructor(handler: Dispatcher.DispatchHandlers, seen: Seen) {
    super(handler);
    this.#handler = handler;
    this.#seen = seen;
  }

  onHeaders(...args: Parameters<NonNullable<Dispatcher.DispatchHandlers["onHeaders"]>>): boolean {
    this.#seen.status = args[0];
    return this.#handler.onHeaders?.(...args) ?? true;
  }

  onUpgrade(...args: Parameters<NonNullable<Dispatcher.DispatchHandlers["onUpgrade"]>>): void {
    this.#seen.stream = args[2];
    this.#handler.onUpgrade?.(...args);
  }

  onError(error: Error): void {
    this.#seen.error = error;
    this.#handler.onError?.(error);
  }
}
