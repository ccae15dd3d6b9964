/**
 * WebhookStore: the events of one account (`store-{accountId}`), in the object's own SQLite database.
 *
 * State: tables of migrations.ts, docs/storage-schema.md. In memory only what can be rebuilt: the position of the
 * head, the quota lease, and what each viewer has pending (pending.ts).
 *
 * Guarantees: a delivery is answered after it is on disk, and stored once, whatever is redelivered. Every read takes
 * a viewer, and its SQL names only the repositories that the viewer sees. Events keep their order and their seq; the
 * head never goes back.
 *
 * Lifecycle: nothing keeps it awake but a request under way. Listeners hold hibernatable sockets, and the alarm is
 * armed only while retention has something that will fall due.
 *
 * This class is a shell: RPC, sockets and alarm over modules that take a SQL handle.
 */
import { DurableObject } from "cloudflare:workers";
import type { StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import { readConfig } from "../config.ts";
import { errorText, log as writeLog } from "../log.ts";
import type {
  EventWithPayload,
  IngestDelivery,
  IngestResult,
  ListFrontier,
  ListPage,
  ListQuery,
  MarkResult,
  SearchHit,
  SearchQuery,
  SincePage,
  StorePort,
  StoreStatus,
} from "../ports.ts";
import { migrate } from "../sql/migrate.ts";
import { registryPort } from "../tenant/registry-port.ts";
import type { StoreViewer } from "../viewer.ts";
import { AccessSets } from "./access.ts";
import { Counters } from "./counters.ts";
import { EventLog, type LogRow, toEventRow } from "./event-log.ts";
import { Feed } from "./feed.ts";
import { IngestQueue } from "./ingest.ts";
import { Marker } from "./mark.ts";
import { migrations } from "./migrations.ts";
import { PendingCache } from "./pending.ts";
import { ProcessedRuns } from "./processed.ts";
import { Lease } from "./quota-lease.ts";
import { EventReader } from "./reader.ts";
import { Retention, retentionLimits } from "./retention.ts";
import { SearchIndex } from "./search.ts";
import { LiveSockets } from "./sockets.ts";
import { Viewers } from "./viewers.ts";

export class WebhookStore extends DurableObject<Env> implements StorePort {
  readonly #log: EventLog;
  readonly #runs: ProcessedRuns;
  readonly #access: AccessSets;
  readonly #pending: PendingCache;
  readonly #reader: EventReader;
  readonly #feed: Feed;
  readonly #search: SearchIndex;
  readonly #viewers: Viewers;
  readonly #marker: Marker;
  readonly #retention: Retention;
  readonly #sockets: LiveSockets;
  readonly #ingest: IngestQueue;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { storage } = ctx;
    const { sql } = storage;
    migrate(storage, migrations);
    const counters = new Counters(sql);
    const lease = new Lease(sql);
    this.#log = new EventLog(sql);
    this.#runs = new ProcessedRuns(sql);
    this.#access = new AccessSets(sql);
    this.#pending = new PendingCache(counters, this.#access);
    this.#reader = new EventReader(sql, this.#runs);
    this.#feed = new Feed(this.#log, this.#reader, this.#pending, this.#access);
    this.#search = new SearchIndex(sql, this.#runs);
    this.#viewers = new Viewers(sql);
    this.#sockets = new LiveSockets(ctx, this.#access);
    const shared = { storage, log: this.#log, counters, runs: this.#runs, pending: this.#pending };
    this.#marker = new Marker({ ...shared, reader: this.#reader });
    this.#retention = new Retention({
      ...shared,
      name: ctx.id.name ?? ctx.id.toString(),
      viewers: this.#viewers,
      access: this.#access,
      limits: retentionLimits(readConfig(env)),
    });
    this.#ingest = new IngestQueue({
      ...shared,
      search: this.#search,
      lease,
      askLease: registryPort(env.TENANT_REGISTRY).lease,
      lifecycle: (change, now) => this.#retention.uninstalled(change === "uninstalled" ? now : null),
      committed: (events, deliveries) => this.#committed(events, deliveries),
    });
  }

  ingest(delivery: IngestDelivery): Promise<IngestResult> {
    return this.#ingest.add(delivery);
  }

  async status(viewer: StoreViewer): Promise<StoreStatus> {
    const now = this.#visit(viewer);
    const state = this.#pending.of(viewer);
    const types: Record<string, number> = {};
    for (const repo of state.repos.values()) {
      for (const [type, { pending }] of repo.types) {
        if (pending > 0) types[type] = (types[type] ?? 0) + pending;
      }
    }
    const { events } = this.#reader.read(state, {
      order: "newest",
      limit: 1,
      filter: {},
      above: 0,
      below: this.#log.head + 1,
    });
    return {
      types,
      latestReceivedAt: events[0]?.receivedAt ?? null,
      position: this.#feed.head(viewer, now),
      dropped: this.#retention.dropped(now, state.access.visible),
    };
  }

  async list(viewer: StoreViewer, query: ListQuery): Promise<ListPage> {
    this.#visit(viewer);
    const { events, frontier } = this.#reader.read(this.#pending.of(viewer), {
      order: query.order,
      limit: query.limit,
      filter: query.filter,
      ...this.#bounds(query),
    });
    return { events, next: frontier };
  }

  async listWithPayloads(
    viewer: StoreViewer,
    query: ListQuery,
    budget: number,
  ): Promise<{ events: EventWithPayload[]; next: ListFrontier | null }> {
    const { events, next } = await this.list(viewer, query);
    let fitting = 0;
    for (let size = 0; fitting < events.length; fitting++) {
      size += events[fitting]!.payloadSize;
      if (size > budget && fitting > 0) break;
    }
    const page = events.slice(0, fitting).map((event) => ({ ...event, payload: this.#log.payload(event.seq) }));
    const last = page.at(-1);
    const cut = last && fitting < events.length ? { seq: last.seq, receivedAt: last.receivedAt } : next;
    return { events: page, next: cut };
  }

  async event(viewer: StoreViewer, id: string): Promise<EventWithPayload | null> {
    this.#visit(viewer);
    const row = this.#log.byId(id, this.#access.of(viewer).visible);
    if (!row) return null;
    const processed = this.#runs.covering(viewer.userId, row.repo, row.seq) !== null;
    return { ...toEventRow(row, processed), payload: this.#log.payload(row.seq) };
  }

  async since(
    viewer: StoreViewer,
    position: StorePosition | undefined,
    filter: EventFilter,
    limit: number,
  ): Promise<SincePage> {
    return this.#feed.since(viewer, position, filter, limit, Date.now());
  }

  async head(viewer: StoreViewer): Promise<StorePosition> {
    return this.#feed.head(viewer, Date.now());
  }

  async positionAt(viewer: StoreViewer, receivedAt: number, inclusive: boolean): Promise<StorePosition> {
    this.#access.remember(viewer, Date.now());
    return { seq: this.#log.seqAt(receivedAt, inclusive), version: viewer.version };
  }

  async search(viewer: StoreViewer, { query, filter, limit }: SearchQuery): Promise<SearchHit[]> {
    this.#visit(viewer);
    return this.#search.find(this.#pending.of(viewer), query, filter, limit);
  }

  async mark(viewer: StoreViewer, ids: readonly string[]): Promise<MarkResult> {
    this.#visit(viewer);
    const { found, marked } = this.#marker.ids(viewer, ids);
    return { found, marked, purged: await this.#sweep() };
  }

  async markUpTo(viewer: StoreViewer, seq: number, filter: EventFilter): Promise<MarkResult> {
    this.#visit(viewer);
    const marked = this.#marker.upTo(viewer, seq, filter);
    return { found: [], marked, purged: await this.#sweep() };
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("upgrade") !== "websocket") return new Response("Upgrade Required", { status: 426 });
    return this.#sockets.accept();
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#sockets.message(socket, message, this.#log.head, Date.now());
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    // 1005 and 1006 are what the runtime reports, not what may be sent (RFC 6455 §7.4.1).
    socket.close(code === 1005 || code === 1006 ? 1000 : code);
  }

  override async alarm(): Promise<void> {
    await this.#retention.alarm(Date.now());
  }

  /** A tool was called: retention counts its viewer, and the cursors of the answer will name their access. */
  #visit(viewer: StoreViewer): number {
    const now = Date.now();
    this.#viewers.touch(viewer, now);
    this.#access.remember(viewer, now);
    return now;
  }

  #bounds({ order, bound }: ListQuery): { above: number; below: number } {
    const all = { above: 0, below: this.#log.head + 1 };
    if (!bound) return all;
    if (order === "newest") {
      const below = "seq" in bound ? bound.seq : this.#log.seqAt(bound.receivedAt, bound.inclusive) + 1;
      return { ...all, below: Math.min(below, all.below) };
    }
    const above = "seq" in bound ? bound.seq : this.#log.seqAt(bound.receivedAt, !bound.inclusive);
    return { ...all, above };
  }

  async #sweep(): Promise<number> {
    const now = Date.now();
    const purged = this.#retention.sweep(now);
    await this.#retention.arm(now);
    return purged;
  }

  /** After a commit: retention is armed, listeners are told. Neither can lose an event. */
  #committed(events: readonly LogRow[], deliveries: readonly IngestDelivery[]): void {
    const overCap = this.#retention.overCap();
    // A new event falls due after all others, so an alarm that is set is set early enough.
    if (overCap || !this.#retention.armed || deliveries.some(({ lifecycle }) => lifecycle)) {
      this.ctx.waitUntil(
        this.#retention
          .arm(Date.now(), overCap)
          .catch((error) => writeLog("error", "store_alarm_failed", { error: errorText(error) })),
      );
    }
    this.#sockets.broadcast(
      events,
      deliveries.map(({ repositoryName }) => repositoryName),
    );
  }
}
