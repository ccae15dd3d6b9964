/**
 * Waiting for the next event instead of polling.
 *
 * Listening begins before the stores are read, so an event is found by the one or told by the other. A frame only
 * says where to look: what is returned, and the cursor with it, comes from the store.
 */
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import type { ViewerAccount } from "../viewer.ts";
import type { Unavailable } from "./fan-out.ts";
import type { Completeness, Inbox } from "./inbox.ts";
import { LiveFeeds } from "./live.ts";
import { type Positions, readCursor } from "./positions.ts";
import type { Placed } from "./summary.ts";

/** How often the stores are read while one of them can't be listened to. */
const UNHEARD_POLL_MS = 5_000;

export interface WaitRequest {
  /** Absent = from now. */
  cursor?: string;
  filter: EventFilter;
  limit: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface WaitResult extends Completeness {
  /** Empty when nothing came in time. */
  events: Placed[];
  /** Where the next wait goes on. */
  cursor: string;
  more: boolean;
}

/**
 * Returns as soon as there is something newer than the cursor, or empty-handed in the end.
 * @throws InboxError `invalid` for a bad cursor, `unavailable` when no store answers.
 */
export async function waitForEvents(inbox: Inbox, request: WaitRequest): Promise<WaitResult> {
  const { filter, limit, timeoutMs, signal } = request;
  const deadline = inbox.now() + timeoutMs;
  const bell = new Bell(signal);
  /** Stores that no socket listens to at present. */
  const unheard = new Map<number, ViewerAccount>();
  const unavailable = new Map<number, Unavailable>();
  const feeds = new LiveFeeds(inbox, filter, {
    onEvent: () => bell.ring(),
    onDown: (account) => {
      unheard.set(account.accountId, account);
      bell.ring();
    },
  });
  const listen = async (accounts: readonly ViewerAccount[]) => {
    for (const account of accounts) unheard.delete(account.accountId);
    for (const { account_id } of await feeds.connect(accounts)) {
      const account = accounts.find(({ accountId }) => accountId === account_id);
      if (account) unheard.set(account_id, account);
    }
  };

  try {
    let cursor = readCursor(request.cursor);
    let positions: Positions | undefined;
    if (!cursor) {
      const head = await inbox.head();
      positions = head.positions;
      cursor = positions.cursor();
      note(head.unavailable);
    }
    await listen(inbox.viewer.accounts);
    for (;;) {
      const page = await inbox.since(cursor, filter, limit);
      positions = page.positions;
      cursor = positions.cursor();
      unavailable.clear();
      note(page.unavailable);
      const left = deadline - inbox.now();
      if (page.events.length > 0 || left <= 0 || signal.aborted) return result(page.events, positions, page.more);
      if (page.more) continue;
      await bell.heard(unheard.size > 0 ? Math.min(left, UNHEARD_POLL_MS) : left);
      if (unheard.size > 0) await listen([...unheard.values()]);
    }
  } finally {
    feeds.close();
  }

  function note(names: readonly Unavailable[] | undefined): void {
    for (const name of names ?? []) unavailable.set(name.account_id, name);
  }

  function result(events: Placed[], positions: Positions, more: boolean): WaitResult {
    const missing = [...unavailable.values()];
    return { events, cursor: positions.encode(), more, ...(missing.length > 0 && { unavailable: missing }) };
  }
}

/** Wakes one sleeper; a ring that nobody is waiting for is kept for the next. */
class Bell {
  #rung = false;
  #wake: (() => void) | null = null;

  constructor(signal: AbortSignal) {
    signal.addEventListener("abort", () => this.ring(), { once: true });
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves at the next ring, or after `ms`. */
  async heard(ms: number): Promise<void> {
    if (!this.#rung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
      this.#wake = null;
    }
    this.#rung = false;
  }
}
