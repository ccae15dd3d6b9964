/**
 * The listening end of the stores' live feeds: one WebSocket to each store of a viewer.
 *
 * A frame is a hint that something was stored; whoever must miss nothing reads with `since` once a store is `ready`,
 * and again after a socket went down. The sockets are hibernatable on the store's side: an idle store sleeps.
 */
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import { errorText, log } from "../log.ts";
import { type EventRow, LIVE_PING, LIVE_PONG, type LiveFrame, type LiveHello } from "../ports.ts";
import type { ViewerAccount } from "../viewer.ts";
import { fanOut, type Unavailable } from "./fan-out.ts";
import type { Inbox } from "./inbox.ts";

/** How long a store may take from the upgrade to its `ready`. */
const READY_TIMEOUT_MS = 5_000;

export interface LiveHandlers {
  /** A store tells everything that it stores after `head` from now on. Called before the first event. */
  onReady?(account: ViewerAccount, head: number): void;
  /** A new event that this viewer sees and the filter wants. */
  onEvent(account: ViewerAccount, row: EventRow): void;
  /** A store that was listened to is so no more: it was reset, or the connection broke. */
  onDown(account: ViewerAccount): void;
}

export class LiveFeeds {
  readonly #inbox: Inbox;
  readonly #filter: EventFilter;
  readonly #handlers: LiveHandlers;
  readonly #sockets = new Map<number, WebSocket>();
  /** Sockets whose store has not answered the last {@link ping} yet. */
  readonly #unanswered = new Set<WebSocket>();
  #closed = false;

  constructor(inbox: Inbox, filter: EventFilter, handlers: LiveHandlers) {
    this.#inbox = inbox;
    this.#filter = filter;
    this.#handlers = handlers;
  }

  /**
   * Listens to the stores of these accounts, all of the viewer's by default. Resolves when each is ready or has
   * failed: an event stored from then on is told. Call it again with an account that went down.
   */
  async connect(accounts: readonly ViewerAccount[] = this.#inbox.viewer.accounts): Promise<Unavailable[]> {
    const { unavailable } = await fanOut(accounts, (account) => this.#open(account));
    return unavailable;
  }

  /**
   * Keeps the sockets alive without waking a store: the runtime answers for it. One that has not answered the last ping
   * by the next is dead, however open it looks, and counts as down.
   */
  ping(): void {
    for (const [accountId, socket] of this.#sockets) {
      if (this.#unanswered.has(socket)) {
        socket.close(1000);
        const account = this.#inbox.viewer.accounts.find((one) => one.accountId === accountId);
        if (account) this.#down(account, socket);
        continue;
      }
      this.#unanswered.add(socket);
      socket.send(LIVE_PING);
    }
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets.values()) socket.close(1000);
    this.#sockets.clear();
  }

  async #open(account: ViewerAccount): Promise<void> {
    const { store, viewer, filter } = this.#inbox.source(account, this.#filter);
    const response = await store.fetch(new Request("https://store/live", { headers: { Upgrade: "websocket" } }));
    const socket = response.webSocket;
    if (!socket) throw new Error(`live feed refused with status ${response.status}`);
    socket.accept();
    if (this.#closed) {
      socket.close(1000);
      return;
    }
    const ready = Promise.withResolvers<void>();
    let givenUp = false;
    const timer = setTimeout(() => ready.reject(new Error("live feed not ready in time")), READY_TIMEOUT_MS);
    socket.addEventListener("message", ({ data }) => {
      if (givenUp || this.#closed) return;
      if (data === LIVE_PONG) {
        this.#unanswered.delete(socket);
        return;
      }
      const frame = JSON.parse(data as string) as LiveFrame;
      if ("event" in frame) return this.#handlers.onEvent(account, frame.event);
      // An attempt that was given up may come to its end after the next one has.
      if (this.#sockets.has(account.accountId)) return ready.reject(new Error("another live feed is open already"));
      this.#sockets.set(account.accountId, socket);
      this.#handlers.onReady?.(account, frame.ready);
      ready.resolve();
    });
    socket.addEventListener("close", () => {
      ready.reject(new Error("live feed closed"));
      this.#down(account, socket);
    });
    socket.addEventListener("error", (event) => {
      log("warn", "live_feed_error", { account: account.accountId, error: errorText(event.error) });
      ready.reject(event.error);
      this.#down(account, socket);
    });
    socket.send(JSON.stringify({ viewer, filter } satisfies LiveHello));
    try {
      await ready.promise;
    } catch (error) {
      givenUp = true;
      socket.close(1000);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #down(account: ViewerAccount, socket: WebSocket): void {
    this.#unanswered.delete(socket);
    if (this.#sockets.get(account.accountId) !== socket) return;
    this.#sockets.delete(account.accountId);
    if (!this.#closed) this.#handlers.onDown(account);
  }
}
