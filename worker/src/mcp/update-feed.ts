/**
 * While somebody listens for resource updates, hears from the viewer's stores that something has arrived.
 *
 * The first listener opens the sockets, the last one closes them. An update says "read again", so many events within
 * a second make one, and a store that was out of reach makes one when it is back.
 */
import { Inbox } from "../inbox/inbox.ts";
import { LiveFeeds } from "../inbox/live.ts";
import type { StoresPort } from "../ports.ts";
import { storeViewer, type Viewer, type ViewerAccount } from "../viewer.ts";

/** At most one update in this time. */
const QUIET_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

export class UpdateFeed {
  readonly #stores: StoresPort;
  readonly #update: () => void;
  readonly #listeners = new Set<symbol>();
  #subscription: Subscription | null = null;

  constructor(stores: StoresPort, update: () => void) {
    this.#stores = stores;
    this.#update = update;
  }

  /**
   * Adds a listener. The sockets follow the viewer who came last: a viewer's access is read anew with each token.
   * Returns what removes the listener again.
   */
  async listen(viewer: Viewer): Promise<() => void> {
    const listener = Symbol("listener");
    this.#listeners.add(listener);
    if (this.#subscription?.isFor(viewer) !== true) {
      this.#subscription?.close();
      this.#subscription = new Subscription(this.#stores, viewer, this.#update);
    }
    await this.#subscription.ready;
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#subscription?.close();
      this.#subscription = null;
    };
  }
}

class Subscription {
  /** Settled once every store was asked. */
  readonly ready: Promise<void>;
  readonly #access: string;
  readonly #update: () => void;
  readonly #feeds: LiveFeeds;
  readonly #retries = new Map<number, ReturnType<typeof setTimeout>>();
  #quiet: ReturnType<typeof setTimeout> | null = null;
  #pending = false;
  #closed = false;

  constructor(stores: StoresPort, viewer: Viewer, update: () => void) {
    this.#access = accessOf(viewer);
    this.#update = update;
    this.#feeds = new LiveFeeds(
      new Inbox({ stores, viewer }),
      {},
      {
        onEvent: () => this.#changed(),
        onDown: (account) => this.#retry(account, FIRST_RETRY_MS),
      },
    );
    this.ready = this.#connect(viewer.accounts, FIRST_RETRY_MS);
  }

  isFor(viewer: Viewer): boolean {
    return this.#access === accessOf(viewer);
  }

  close(): void {
    this.#closed = true;
    this.#feeds.close();
    for (const timer of this.#retries.values()) clearTimeout(timer);
    if (this.#quiet) clearTimeout(this.#quiet);
  }

  async #connect(accounts: readonly ViewerAccount[], delay: number): Promise<void> {
    const failed = new Set((await this.#feeds.connect(accounts)).map(({ account_id }) => account_id));
    for (const account of accounts) if (failed.has(account.accountId)) this.#retry(account, delay);
  }

  #retry(account: ViewerAccount, delay: number): void {
    if (this.#closed) return;
    clearTimeout(this.#retries.get(account.accountId));
    const again = async () => {
      this.#retries.delete(account.accountId);
      await this.#connect([account], Math.min(2 * delay, LAST_RETRY_MS));
      if (!this.#retries.has(account.accountId)) this.#changed();
    };
    this.#retries.set(account.accountId, setTimeout(again, delay));
  }

  /** Tells at once, then at most once in QUIET_MS. */
  #changed(): void {
    if (this.#closed) return;
    this.#pending = true;
    if (this.#quiet) return;
    this.#pending = false;
    this.#update();
    this.#quiet = setTimeout(() => {
      this.#quiet = null;
      if (this.#pending) this.#changed();
    }, QUIET_MS);
  }
}

function accessOf(viewer: Viewer): string {
  return viewer.accounts.map((account) => `${account.accountId}:${storeViewer(viewer, account).version}`).join();
}
