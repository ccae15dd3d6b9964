/**
 * One client's stream: the first frame, the events, heartbeats, and its end.
 *
 * Everything of it lives in the request that opened it: sockets to the stores, timers, positions. When the client goes,
 * all of it goes; when the Worker goes, the client comes again with its last cursor.
 */
import type { Cursor } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import { HEARTBEAT_MS } from "@github-webhook-mcp/shared/stream.ts";
import { AccessWatch } from "../grants/access-watch.ts";
import { Inbox } from "../inbox/inbox.ts";
import { tiesComeBefore } from "../inbox/order.ts";
import { Positions } from "../inbox/positions.ts";
import { type Placed, toSummary } from "../inbox/summary.ts";
import { errorText, log } from "../log.ts";
import type { McpCaller, StoresPort } from "../ports.ts";
import type { Viewer, ViewerAccount } from "../viewer.ts";
import { FanIn } from "./fan-in.ts";
import { type EndReason, MAX_BUFFERED_BYTES, type Outlet } from "./outlet.ts";
import type { StreamQuery } from "./query.ts";

/** What is caught up with is read on while no more than this waits for the client. */
const ROOM_BYTES = MAX_BUFFERED_BYTES / 4;
const ROOM_POLL_MS = 25;
/** A client that takes nothing of a replay for so long is too slow. */
const STALLED_MS = 60_000;

export interface StreamDeps extends StreamQuery {
  stores: StoresPort;
  viewer: Viewer;
  outlet: Outlet;
  /** Whom the token speaks for now; null = nobody any more. */
  check(): Promise<McpCaller | null>;
  recheckMs: number;
}

export class EventStream {
  readonly #deps: StreamDeps;
  readonly #outlet: Outlet;
  readonly #filter: EventFilter;
  readonly #positions: Positions;
  #watch: AccessWatch | null = null;
  readonly #heart: ReturnType<typeof setInterval>;
  #fan: FanIn;
  #closed = false;

  constructor(deps: StreamDeps) {
    const { viewer, resume } = deps;
    this.#deps = deps;
    this.#outlet = deps.outlet;
    this.#filter = deps.filter;
    this.#positions = startPositions(resume?.cursor ?? null, viewer.accounts);
    this.#fan = this.#fanIn(viewer);
    this.#heart = setInterval(() => this.#beat(), HEARTBEAT_MS);
  }

  /** Connects, replays and goes live. Resolves when the stores that could be reached are live. Never rejects. */
  async run(): Promise<void> {
    const { resume, viewer, outlet } = this.#deps;
    const stores = viewer.accounts.length;
    const began = Date.now();
    const fan = this.#fan;
    try {
      if (resume) {
        outlet.send({ status: "connected", stores, cursor: resume.text });
        await fan.connect();
      } else {
        await fan.connect();
        if (this.#closed) return;
        fan.startFromNow(began);
        outlet.send({ status: "connected", stores, cursor: this.#positions.encode() });
      }
      if (this.#closed) return;
      // Not before the stream has its positions: what the viewer sees more goes on from them.
      this.#watch = this.#watchAccess(viewer);
      await fan.start();
    } catch (error) {
      // Nothing that is foreseen comes here; a stream that is silently half alive would be worse than none.
      log("error", "stream_failed", { error: errorText(error) });
      this.#end("unavailable");
    }
  }

  /** The client has gone. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#watch?.stop();
    clearInterval(this.#heart);
    this.#fan.close();
  }

  #end(reason: EndReason): void {
    if (this.#closed) return;
    this.close();
    log("info", "stream_ended", { reason, buffered: this.#outlet.buffered });
    this.#outlet.end(reason);
  }

  #watchAccess(viewer: Viewer): AccessWatch {
    return new AccessWatch({
      viewer,
      check: this.#deps.check,
      everyMs: this.#deps.recheckMs,
      onGrown: (grown) => this.#grown(grown),
      onLost: () => this.#end("access-lost"),
      onUnknown: () => this.#end("unavailable"),
    });
  }

  #fanIn(viewer: Viewer): FanIn {
    return new FanIn({
      inbox: new Inbox({ stores: this.#deps.stores, viewer }),
      filter: this.#filter,
      positions: this.#positions,
      emit: (placed) => this.#emit(placed),
      room: () => (this.#outlet.buffered > ROOM_BYTES ? this.#room() : null),
    });
  }

  /** Goes on with what the viewer sees now: what has become visible is after every position, and comes. */
  #grown(viewer: Viewer): void {
    this.#fan.close();
    const fan = this.#fanIn(viewer);
    this.#fan = fan;
    fan
      .connect()
      .then(() => fan.start())
      .catch((error) => {
        log("error", "stream_failed", { error: errorText(error) });
        this.#end("unavailable");
      });
  }

  #emit(placed: Placed): void {
    const { id, type } = placed.row;
    this.#outlet.send({ event_id: id, type, summary: { ...toSummary(placed) }, cursor: this.#positions.encode() });
    if (this.#outlet.buffered > MAX_BUFFERED_BYTES) this.#end("too-slow");
  }

  #beat(): void {
    this.#outlet.send({ heartbeat: Date.now() });
    this.#fan.ping();
    if (this.#outlet.buffered > MAX_BUFFERED_BYTES) this.#end("too-slow");
  }

  /** Resolves when the client has taken most of what was sent. Its own pace is fine, standing still is not. */
  async #room(): Promise<void> {
    let least = this.#outlet.buffered;
    let moved = Date.now();
    while (!this.#closed && this.#outlet.buffered > ROOM_BYTES) {
      await new Promise((done) => setTimeout(done, ROOM_POLL_MS));
      if (this.#outlet.buffered < least) {
        least = this.#outlet.buffered;
        moved = Date.now();
      } else if (Date.now() - moved > STALLED_MS) this.#end("too-slow");
    }
  }
}

/**
 * Where a stream begins in each store. An event cursor says it of one store by seq and of the others by time; what is
 * sent next needs a place for each, so that it can be resumed from.
 */
export function startPositions(cursor: Cursor | null, accounts: readonly ViewerAccount[]): Positions {
  if (cursor?.kind !== "event") return new Positions(cursor);
  const positions = new Positions(null);
  for (const { accountId } of accounts) {
    if (accountId === cursor.accountId) positions.set(accountId, cursor.position);
    else positions.setTime(accountId, tiesComeBefore(accountId, cursor) ? cursor.receivedAt : cursor.receivedAt - 1);
  }
  return positions;
}
