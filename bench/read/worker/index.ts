/**
 * The Worker of bench:read: the real WebhookStore, whose statements are counted, and which can be filled without
 * deliveries. One request is one step of the bench.
 */
import { migrations } from "../../../worker/src/store/migrations.ts";
import { WebhookStore } from "../../../worker/src/store/store.ts";
import type { StoreViewer } from "../../../worker/src/viewer.ts";
import type { Cost, Step } from "../steps.ts";

export { TenantRegistry } from "../../../worker/src/tenant/tenant.ts";

const TYPES = ["issues", "push", "check_run", "pull_request", "issue_comment"];
/** Ids as GitHub gives them now. */
const FIRST_REPOSITORY = 800_000_000;
const HEAD = { order: "newest", limit: 20, filter: {} } as const;

/** A member of the organization, who sees every repository by name: the dearer of the two kinds of viewer. */
const member = (repositories: number): StoreViewer => ({
  userId: 7,
  repositories: Array.from({ length: repositories }, (_, n) => FIRST_REPOSITORY + n),
  version: `bench-${repositories}`,
});

/** Keeps the cursors of all statements, whose counters say what has been read. */
class Meter {
  #cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

  constructor(sql: SqlStorage) {
    const exec = sql.exec.bind(sql) as SqlStorage["exec"];
    sql.exec = (query, ...bindings) => {
      const cursor = exec(query, ...bindings);
      this.#cursors.push(cursor as never);
      return cursor as never;
    };
  }

  async rowsRead<T>(work: () => Promise<T>): Promise<{ result: T; rowsRead: number }> {
    this.#cursors = [];
    const result = await work();
    const rowsRead = this.#cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
    this.#cursors = [];
    return { result, rowsRead };
  }
}

export class BenchStore extends WebhookStore {
  readonly #meter: Meter;
  #viewer: StoreViewer | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    const meter = new Meter(ctx.storage.sql);
    super(ctx, env);
    this.#meter = meter;
  }

  async run(step: Step, repositories: number): Promise<Cost | null> {
    this.#viewer ??= member(repositories);
    const viewer = this.#viewer;
    switch (step.do) {
      case "fill":
        this.#fill(step);
        return null;
      case "mark":
        await this.markUpTo(viewer, step.seq, {});
        return null;
      case "evict":
        this.ctx.abort("evicted by the bench");
        return null;
      case "status":
        return this.#repeat(step.times, async () =>
          Object.values((await this.status(viewer)).types).reduce((sum, n) => sum + n, 0),
        );
      case "list":
        return this.#repeat(step.times, async () => (await this.list(viewer, HEAD)).events.length);
    }
  }

  async #repeat(times: number, read: () => Promise<number>): Promise<Cost> {
    let cost: Cost = { rowsRead: 0, events: 0 };
    for (let n = 0; n < times; n++) {
      const { result, rowsRead } = await this.#meter.rowsRead(read);
      cost = { rowsRead, events: result };
    }
    return cost;
  }

  /** Rows as so many deliveries would leave them, full text excepted, which these reads do not touch. */
  #fill({ events, repositories, summary }: Extract<Step, { do: "fill" }>): void {
    const { sql } = this.ctx.storage;
    const types = JSON.stringify(TYPES);
    const now = Date.now();
    this.ctx.storage.transactionSync(() => {
      sql.exec(
        `WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ?1)
         INSERT INTO event (seq, dkey, id, type, repo, received, size, parts, summary, payload)
         SELECT seq, randomblob(24), 'id-' || seq, json_extract(?2, '$[' || (seq / CAST(?3 AS INTEGER) % 5) || ']'), CAST(?4 AS INTEGER) + seq % CAST(?3 AS INTEGER),
                CAST(?5 AS INTEGER) + seq, 2, 1, ?6, x'00' FROM n`,
        events,
        types,
        repositories,
        FIRST_REPOSITORY,
        now - events,
        summary,
      );
      sql.exec(
        "INSERT INTO tally (repo, type, n, last_seq, name) SELECT repo, type, count(*), max(seq), 'octo/repo-' || repo FROM event GROUP BY repo, type",
      );
    });
  }
}

/** The schema that {@link BenchStore} fills by hand. */
if (migrations.length !== 1) throw new Error("bench:read fills the tables of migration 1; see what later ones add");

export default {
  async fetch(request, env) {
    const { store, repositories, step } = await request.json<{ store: string; repositories: number; step: Step }>();
    const stub = (env as unknown as { STORE: DurableObjectNamespace<BenchStore> }).STORE.getByName(store);
    try {
      return Response.json(await stub.run(step, repositories));
    } catch (error) {
      if (step.do === "evict") return Response.json(null);
      return new Response(String(error), { status: 500 });
    }
  },
} satisfies ExportedHandler<Env>;
