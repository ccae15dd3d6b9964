/**
 * A viewer's stores as one live stream: for each store first what came after a position, then what it tells.
 *
 * Guarantee: of every store each event that the viewer sees and the filter wants is emitted once, in the store's order,
 * whatever resets and lost connections are in between. A store is listened to before it is read, so that an event is
 * found by the one or told by the other; what both have is told apart by its seq. The positions are the stream's state:
 * they say at any moment what has been emitted.
 */
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import { fanOut } from "../inbox/fan-out.ts";
import { type Feed, sinceFeed } from "../inbox/feed.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { LiveFeeds } from "../inbox/live.ts";
import { mergePage } from "../inbox/merge.ts";
import { type Positions, positionIn } from "../inbox/positions.ts";
import type { Placed } from "../inbox/summary.ts";
import { errorText, log } from "../log.ts";
import type { EventRow } from "../ports.ts";
import { storeViewer, type Viewer, type ViewerAccount } from "../viewer.ts";

/** Events in one page of what is caught up with. */
const PAGE = 100;
/** Told events that wait while a store is caught up with; beyond it, it is read once more instead. */
const MAX_WAITING = 1_000;
/** How long the first page waits for stores that are slow to connect; those come later, on their own. */
const PATIENCE_MS = 1_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

export interface FanInDeps {
  inbox: Inbox;
  filter: EventFilter;
  /** Moved on with every event. */
  positions: Positions;
  /** Takes the next event; the positions are right behind it. */
  emit(placed: Placed): void;
  /** Null where there is room for more of what is caught up with; else resolves when there is. */
  room(): Promise<void> | null;
}

/** What is known of one store's feed. */
interface Link {
  readonly account: ViewerAccount;
  /** Access version of the viewer in this account. */
  readonly version: string;
  /** Connected, as far as is known. */
  up: boolean;
  /** Seq of the store's newest event when it was connected. */
  head: number;
  /** Told while the store is being caught up with; null once events go straight through. */
  waiting: EventRow[] | null;
  /** Told, but not kept in `waiting`. */
  overflown: boolean;
  /** Being caught up with at the moment. */
  busy: boolean;
  retryMs: number;
  timer: ReturnType<typeof setTimeout> | null;
}

export class FanIn {
  readonly #deps: FanInDeps;
  readonly #feeds: LiveFeeds;
  readonly #links: ReadonlyMap<number, Link>;
  #started = false;
  #closed = false;

  constructor(deps: FanInDeps) {
    this.#deps = deps;
    const { viewer } = deps.inbox;
    this.#links = new Map(viewer.accounts.map((account) => [account.accountId, newLink(viewer, account)]));
    this.#feeds = new LiveFeeds(deps.inbox, deps.filter, {
      onReady: ({ accountId }, head) => this.#ready(this.#links.get(accountId)!, head),
      onEvent: ({ accountId }, row) => this.#told(this.#links.get(accountId)!, row),
      onDown: ({ accountId }) => this.#lost(this.#links.get(accountId)!),
    });
  }

  /** Connects to the stores. Resolves when all are connected or have failed, or after a second. */
  async connect(): Promise<void> {
    const opening = fanOut(this.#deps.inbox.viewer.accounts, ({ accountId }) =>
      this.#open(this.#links.get(accountId)!),
    );
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, PATIENCE_MS);
    await Promise.race([opening, patience.promise]);
    clearTimeout(timer);
  }

  /** From now: the positions are those of the stores as they were when they were connected. */
  startFromNow(now: number): void {
    const { positions } = this.#deps;
    for (const [accountId, { up, head, version }] of this.#links) {
      if (up) positions.set(accountId, { seq: head, version });
      else positions.setTime(accountId, now);
    }
  }

  /** Emits what came after the positions, oldest first over all stores, and from then on what is told. */
  async start(): Promise<void> {
    this.#started = true;
    await this.#catchUp([...this.#links.values()].filter(({ up }) => up));
  }

  /** Keeps the connections to the stores alive, and finds those that are dead. */
  ping(): void {
    this.#feeds.ping();
  }

  close(): void {
    this.#closed = true;
    this.#feeds.close();
    for (const { timer } of this.#links.values()) if (timer) clearTimeout(timer);
  }

  async #open(link: Link): Promise<void> {
    if (this.#closed) return;
    link.waiting = [];
    link.overflown = false;
    const failed = await this.#feeds.connect([link.account]);
    if (this.#closed) return;
    if (failed.length > 0) this.#retry(link);
    else if (this.#started) this.#catchUp([link]).catch((error) => this.#failed(link, error));
  }

  #ready(link: Link, head: number): void {
    link.up = true;
    link.head = head;
  }

  #told(link: Link, row: EventRow): void {
    if (this.#closed) return;
    if (link.waiting === null) this.#emitTold(link, row);
    else if (link.waiting.length < MAX_WAITING) link.waiting.push(row);
    else link.overflown = true;
  }

  #lost(link: Link): void {
    link.up = false;
    // One that is being caught up with is tried again when that has come to its end.
    if (!link.busy) this.#retry(link);
  }

  #retry(link: Link): void {
    if (this.#closed || link.timer) return;
    link.up = false;
    // Not all at once after a deploy, which ends the sockets of everybody.
    const delay = link.retryMs * (0.5 + Math.random());
    link.retryMs = Math.min(2 * link.retryMs, LAST_RETRY_MS);
    link.timer = setTimeout(() => {
      link.timer = null;
      this.#open(link).catch((error) => this.#failed(link, error));
    }, delay);
  }

  #failed(link: Link, error: unknown): void {
    log("error", "stream_store_failed", { account: link.account.accountId, error: errorText(error) });
    this.#retry(link);
  }

  async #catchUp(links: readonly Link[]): Promise<void> {
    for (const link of links) if (this.#isAtHead(link)) this.#goLive(link);
    let behind = links.filter(({ waiting }) => waiting !== null);
    for (const link of behind) link.busy = true;
    while (behind.length > 0 && !this.#closed) {
      for (const link of behind) {
        // What was told so far is stored, and found by reading.
        link.waiting = [];
        link.overflown = false;
      }
      const failed = await this.#read(behind);
      if (this.#closed) return;
      const again: Link[] = [];
      for (const link of behind) {
        if (link.up && !failed.has(link.account.accountId) && link.overflown) {
          again.push(link);
          continue;
        }
        link.busy = false;
        if (!link.up || failed.has(link.account.accountId)) this.#retry(link);
        else this.#goLive(link);
      }
      behind = again;
    }
  }

  /** Whether everything up to the moment of connecting has been emitted: most stores, when nothing has happened. */
  #isAtHead({ account, head, overflown, version }: Link): boolean {
    const position = this.#deps.positions.get(account.accountId);
    return !overflown && position?.seq === head && position.version === version && !position.backfill;
  }

  /** Emits everything after the positions; returns the accounts whose stores gave no answer. */
  async #read(links: readonly Link[]): Promise<Set<number>> {
    const { inbox, positions, filter, emit, room } = this.#deps;
    const failed = new Set<number>();
    // Also what the viewer has processed meanwhile: a stream tells what has happened.
    const wanted = { ...filter, include_processed: true };
    const accounts = links.map(({ account }) => account);
    const { results, unavailable } = await fanOut(accounts, async (account) => {
      const source = inbox.source(account, wanted);
      return sinceFeed(source, PAGE, await positionIn(positions.cursor(), source));
    });
    for (const { account_id } of unavailable) failed.add(account_id);
    let feeds: Feed[] = results.map(({ value }) => value);
    while (feeds.length > 0 && !this.#closed) {
      const page = await mergePage(feeds, { order: "oldest", limit: PAGE }).catch((error) => {
        log("error", "stream_read_failed", { error: errorText(error) });
        return null;
      });
      if (this.#closed) break;
      if (!page) {
        for (const { account } of feeds) failed.add(account.accountId);
        break;
      }
      for (const placed of page.events) {
        positions.set(placed.accountId, placed.position);
        emit(placed);
        const crowded = room();
        if (crowded) await crowded;
        if (this.#closed) return failed;
      }
      for (const { account, position } of feeds) positions.set(account.accountId, position);
      for (const { account_id } of page.unavailable) failed.add(account_id);
      feeds = feeds.filter(({ account }) => !failed.has(account.accountId));
      if (!page.more) break;
    }
    return failed;
  }

  #goLive(link: Link): void {
    const waiting = link.waiting ?? [];
    link.waiting = null;
    link.retryMs = FIRST_RETRY_MS;
    for (const row of waiting) this.#emitTold(link, row);
  }

  #emitTold({ account, version }: Link, row: EventRow): void {
    const { positions, emit } = this.#deps;
    const { accountId } = account;
    if (row.seq <= (positions.get(accountId)?.seq ?? 0)) return;
    const position = { seq: row.seq, version };
    positions.set(accountId, position);
    emit({ accountId, row, position });
  }
}

function newLink(viewer: Viewer, account: ViewerAccount): Link {
  return {
    account,
    version: storeViewer(viewer, account).version,
    up: false,
    head: 0,
    waiting: [],
    overflown: false,
    busy: false,
    retryMs: FIRST_RETRY_MS,
    timer: null,
  };
}
