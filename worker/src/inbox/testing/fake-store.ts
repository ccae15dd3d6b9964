/**
 * A store in memory that keeps the contract of StorePort, with knobs that a test turns: stores that fail, stores that
 * stop looking early. Access versions are understood as far as one viewer's growth goes.
 */
import type { StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter, PayloadSummary } from "@github-webhook-mcp/shared/events.ts";
import type {
  EventRow,
  EventWithPayload,
  IngestResult,
  ListBound,
  ListFrontier,
  ListPage,
  ListQuery,
  LiveFrame,
  LiveHello,
  MarkResult,
  PackedPayload,
  SearchHit,
  SearchQuery,
  SincePage,
  StorePort,
  StoreStatus,
  StoresPort,
} from "../../ports.ts";
import type { StoreViewer } from "../../viewer.ts";

export interface FakeEvent {
  id: string;
  type?: string;
  repository?: number;
  receivedAt: number;
  summary?: Partial<PayloadSummary>;
  /** Raw JSON text. */
  payload?: string;
}

interface Kept extends EventRow {
  text: string;
}

const EMPTY: PayloadSummary = {
  action: null,
  repo: null,
  sender: null,
  number: null,
  title: null,
  url: null,
  head_branch: null,
  head_sha: null,
  conclusion: null,
};

export class FakeStore implements StorePort {
  readonly events: Kept[] = [];
  /** Names of the calls that were made, in order. */
  readonly calls: string[] = [];
  /** Rejects every call. */
  failing = false;
  /** Rows that one list may look at. */
  rowBudget = Number.POSITIVE_INFINITY;
  dropped = 0;
  readonly #pack: (text: string) => PackedPayload | Promise<PackedPayload>;
  readonly #marks = new Set<string>();
  readonly #versions = new Map<string, "all" | ReadonlySet<number>>();
  readonly #sockets = new Map<WebSocket, LiveHello>();
  #head = 0;

  constructor(pack: (text: string) => PackedPayload | Promise<PackedPayload> = plainPack) {
    this.#pack = pack;
  }

  add({ id, type = "issues", repository = 1, receivedAt, summary, payload = "{}" }: FakeEvent): EventRow {
    const row: Kept = {
      seq: ++this.#head,
      id,
      deliveryId: null,
      type,
      repository,
      receivedAt,
      processed: false,
      summary: JSON.stringify({ ...EMPTY, ...summary }),
      payloadSize: new TextEncoder().encode(payload).length,
      text: payload,
    };
    this.events.push(row);
    for (const [socket, { viewer, filter }] of this.#sockets) {
      if (sees(viewer, row) && matches(filter, row)) {
        socket.send(JSON.stringify({ event: toRow(row, false) } satisfies LiveFrame));
      }
    }
    return row;
  }

  /** How many listeners hold a socket. */
  get listeners(): number {
    return this.#sockets.size;
  }

  /** Ends every listener's socket, as a reset does. */
  reset(): void {
    for (const socket of this.#sockets.keys()) socket.close(1011, "reset");
    this.#sockets.clear();
  }

  async ingest(): Promise<IngestResult> {
    throw new Error("use add");
  }

  async status(viewer: StoreViewer): Promise<StoreStatus> {
    this.#called("status");
    const pending = this.#visible(viewer, {});
    const types: Record<string, number> = {};
    for (const { type } of pending) types[type] = (types[type] ?? 0) + 1;
    const latestReceivedAt = pending.at(-1)?.receivedAt ?? null;
    return { types, latestReceivedAt, position: this.#position(viewer), dropped: this.dropped };
  }

  async list(viewer: StoreViewer, query: ListQuery): Promise<ListPage> {
    this.#called("list");
    const { events, next } = this.#page(viewer, query);
    return { events: events.map((row) => toRow(row, this.#isMarked(viewer, row))), next };
  }

  async listWithPayloads(
    viewer: StoreViewer,
    query: ListQuery,
    budget: number,
  ): Promise<{ events: EventWithPayload[]; next: ListFrontier | null }> {
    this.#called("listWithPayloads");
    const { events, next } = this.#page(viewer, query);
    const fitting: Kept[] = [];
    for (let size = 0; fitting.length < events.length; ) {
      const row = events[fitting.length]!;
      size += row.payloadSize;
      if (size > budget && fitting.length > 0) break;
      fitting.push(row);
    }
    const last = fitting.at(-1);
    return {
      events: await Promise.all(fitting.map((row) => this.#withPayload(viewer, row))),
      next: last && fitting.length < events.length ? { seq: last.seq, receivedAt: last.receivedAt } : next,
    };
  }

  async event(viewer: StoreViewer, id: string): Promise<EventWithPayload | null> {
    this.#called("event");
    const row = this.#find(viewer, id);
    return row ? this.#withPayload(viewer, row) : null;
  }

  async since(
    viewer: StoreViewer,
    from: StorePosition | undefined,
    filter: EventFilter,
    limit: number,
  ): Promise<SincePage> {
    this.#called("since");
    this.#versions.set(viewer.version, viewer.repositories === "all" ? "all" : new Set(viewer.repositories));
    const { seq, version, backfill } = from ?? { seq: 0, version: viewer.version };
    const before = this.#versions.get(backfill?.version ?? version) ?? new Set<number>();
    const grown = (row: Kept) => before !== "all" && !before.has(row.repository);
    const isBackfill = seq > 0 && (backfill !== undefined || version !== viewer.version);
    const behind = isBackfill
      ? this.#visible(viewer, filter).filter((row) => row.seq > (backfill?.seq ?? 0) && row.seq <= seq && grown(row))
      : [];
    const ahead = this.#visible(viewer, filter).filter((row) => row.seq > seq);
    const all = [
      ...behind.map((row) => ({
        event: toRow(row, this.#isMarked(viewer, row)),
        position: {
          seq,
          version: viewer.version,
          backfill: { seq: row.seq, version: backfill?.version ?? version },
        },
      })),
      ...ahead.map((row) => ({
        event: toRow(row, this.#isMarked(viewer, row)),
        position: { seq: row.seq, version: viewer.version },
      })),
    ];
    const events = all.slice(0, limit);
    const more = events.length < all.length;
    return { events, position: more ? events.at(-1)!.position : this.#position(viewer), more };
  }

  async head(viewer: StoreViewer): Promise<StorePosition> {
    this.#called("head");
    return this.#position(viewer);
  }

  async positionAt(viewer: StoreViewer, receivedAt: number, inclusive: boolean): Promise<StorePosition> {
    this.#called("positionAt");
    return { seq: this.#seqAt(receivedAt, inclusive), version: viewer.version };
  }

  async search(viewer: StoreViewer, { query, filter, limit }: SearchQuery): Promise<SearchHit[]> {
    this.#called("search");
    return this.#visible(viewer, filter)
      .filter((row) => row.summary.includes(query))
      .map((row) => ({ ...toRow(row, this.#isMarked(viewer, row)), rank: -1 / row.summary.length }))
      .slice(0, limit);
  }

  async mark(viewer: StoreViewer, ids: readonly string[]): Promise<MarkResult> {
    this.#called("mark");
    const rows = ids.map((id) => this.#find(viewer, id)).filter((row) => row !== undefined);
    return { found: rows.map(({ id }) => id), marked: this.#mark(viewer, rows), purged: 0 };
  }

  async markUpTo(viewer: StoreViewer, seq: number, filter: EventFilter): Promise<MarkResult> {
    this.#called("markUpTo");
    const rows = this.#visible(viewer, filter).filter((row) => row.seq <= seq);
    return { found: [], marked: this.#mark(viewer, rows), purged: 0 };
  }

  async fetch(request: Request): Promise<Response> {
    this.#called("fetch");
    if (request.headers.get("upgrade") !== "websocket") return new Response(null, { status: 426 });
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    server.accept();
    server.addEventListener("message", ({ data }) => {
      this.#sockets.set(server, JSON.parse(data as string) as LiveHello);
      server.send(JSON.stringify({ ready: this.#head } satisfies LiveFrame));
    });
    server.addEventListener("close", () => {
      this.#sockets.delete(server);
      server.close();
    });
    return new Response(null, { status: 101, webSocket: client });
  }

  #page(
    viewer: StoreViewer,
    { order, limit, filter, bound }: ListQuery,
  ): { events: Kept[]; next: ListFrontier | null } {
    const all = this.#visible(viewer, {}, true);
    const side = order === "newest" ? all.toReversed() : all;
    const rows = side.filter((row) => this.#isBeyond(row, order, bound));
    const wanted = new Set(this.#visible(viewer, filter));
    const events: Kept[] = [];
    for (const [looked, row] of rows.entries()) {
      const last = rows[looked - 1];
      if (events.length === limit || looked >= this.rowBudget) {
        return { events, next: last ? { seq: last.seq, receivedAt: last.receivedAt } : null };
      }
      if (wanted.has(row)) events.push(row);
    }
    return { events, next: null };
  }

  #isBeyond(row: Kept, order: ListQuery["order"], bound: ListBound | undefined): boolean {
    if (!bound) return true;
    if (order === "newest") {
      return row.seq < ("seq" in bound ? bound.seq : this.#seqAt(bound.receivedAt, bound.inclusive) + 1);
    }
    return row.seq > ("seq" in bound ? bound.seq : this.#seqAt(bound.receivedAt, !bound.inclusive));
  }

  #seqAt(receivedAt: number, inclusive: boolean): number {
    const before = this.events.filter((row) =>
      inclusive ? row.receivedAt <= receivedAt : row.receivedAt < receivedAt,
    );
    return before.at(-1)?.seq ?? 0;
  }

  #visible(viewer: StoreViewer, filter: EventFilter, everything = false): Kept[] {
    return this.events.filter(
      (row) =>
        sees(viewer, row) &&
        (everything || (matches(filter, row) && (filter.include_processed || !this.#isMarked(viewer, row)))),
    );
  }

  #find(viewer: StoreViewer, id: string): Kept | undefined {
    return this.events.find((row) => row.id === id && sees(viewer, row));
  }

  #mark(viewer: StoreViewer, rows: readonly Kept[]): number {
    const fresh = rows.filter((row) => !this.#isMarked(viewer, row));
    for (const { id } of fresh) this.#marks.add(`${viewer.userId} ${id}`);
    return fresh.length;
  }

  #isMarked(viewer: StoreViewer, { id }: Kept): boolean {
    return this.#marks.has(`${viewer.userId} ${id}`);
  }

  #position(viewer: StoreViewer): StorePosition {
    this.#versions.set(viewer.version, viewer.repositories === "all" ? "all" : new Set(viewer.repositories));
    return { seq: this.#head, version: viewer.version };
  }

  async #withPayload(viewer: StoreViewer, row: Kept): Promise<EventWithPayload> {
    return { ...toRow(row, this.#isMarked(viewer, row)), payload: await this.#pack(row.text) };
  }

  #called(name: string): void {
    this.calls.push(name);
    if (this.failing) throw new Error("store is down");
  }
}

/** Stores by account; each comes into being when it is first asked for. */
export class FakeStores implements StoresPort {
  readonly #stores = new Map<number, FakeStore>();
  readonly #pack: ((text: string) => PackedPayload | Promise<PackedPayload>) | undefined;

  constructor(pack?: (text: string) => PackedPayload | Promise<PackedPayload>) {
    this.#pack = pack;
  }

  store(accountId: number): FakeStore {
    const store = this.#stores.get(accountId) ?? new FakeStore(this.#pack);
    this.#stores.set(accountId, store);
    return store;
  }
}

function sees({ repositories }: StoreViewer, { repository }: EventRow): boolean {
  return repositories === "all" || repositories.includes(repository);
}

function matches({ types, repo, sender, exclude_bots }: EventFilter, row: Kept): boolean {
  const summary = JSON.parse(row.summary) as PayloadSummary;
  if (types && !types.includes(row.type)) return false;
  if (repo !== undefined && summary.repo?.toLowerCase() !== repo.toLowerCase()) return false;
  if (sender !== undefined && summary.sender?.toLowerCase() !== sender.toLowerCase()) return false;
  return !(exclude_bots && summary.sender_type === "Bot");
}

function toRow({ text: _, ...row }: Kept, processed: boolean): EventRow {
  return { ...row, processed };
}

function plainPack(text: string): PackedPayload {
  const bytes = new TextEncoder().encode(text);
  return { size: bytes.length, chunks: [bytes] };
}
