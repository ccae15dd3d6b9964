/** What reading and writing costs in rows, the unit that Cloudflare bills, at 1,000 and at 100,000 events. */
import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { StoreViewer } from "../viewer.ts";
import { delivery } from "./testing/deliveries.ts";
import { metered, partsOn } from "./testing/parts.ts";

afterEach(() => reset());

const owner: StoreViewer = { userId: 7, repositories: "all", version: "all" };
const TYPES = ["issues", "push", "check_run", "pull_request", "issue_comment"];

const SHARES = [0, 0.99, 1] as const;

/** Fills a store's tables as so many deliveries would, in two statements. */
function seed(sql: SqlStorage, events: number, repositories: number): void {
  const types = JSON.stringify(TYPES);
  sql.exec(
    `WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ?)
     INSERT INTO event SELECT seq, randomblob(24), 'id-' || seq, NULL, json_extract(?, '$[' || (seq % 5) || ']'), 1 + seq % ?, seq, 2, 1, '{}', x'00' FROM n`,
    events,
    types,
    repositories,
  );
  sql.exec(
    "INSERT INTO tally SELECT repo, type, count(*), max(seq), 'octo/repo-' || repo FROM event GROUP BY repo, type",
  );
}

/** Rows that status, a first list and a second one read, after each share of the events was marked. */
function readCosts(events: number, repositories: number) {
  return runInDurableObject(env.WEBHOOK_STORE.getByName(`store-${events}-${repositories}`), (_, { storage }) => {
    seed(storage.sql, events, repositories);
    return SHARES.map((share) => {
      if (share > 0) partsOn(storage).marker.upTo(owner, Math.floor(events * share), {});
      const meter = metered(storage);
      const parts = partsOn(meter.storage);
      const list = () =>
        meter.cost(() =>
          parts.reader.read(parts.pending.of(owner), {
            order: "newest",
            limit: 20,
            filter: {},
            above: 0,
            below: events + 1,
          }),
        );
      const status = meter.cost(() => parts.pending.of(owner));
      const first = list();
      const second = list();
      return { status: status.read, first: first.read, second: second.read, listed: second.result.events.length };
    });
  });
}

describe("reads", () => {
  for (const repositories of [1, 50]) {
    it(`cost the same at 1k and at 100k events in ${repositories} repositories, whatever is processed`, {
      timeout: 60_000,
    }, async () => {
      const small = await readCosts(1_000, repositories);
      const large = await readCosts(100_000, repositories);
      for (const [i, cost] of large.entries()) {
        // Status: repositories × types, and the viewer's counts of the same.
        expect(cost.status).toBeLessThanOrEqual(2 * repositories * TYPES.length + 5);
        expect(cost.status).toBeLessThanOrEqual(small[i]!.status + 5);
        // A list: four rows an event (index and row, of it and of the next) and a constant. What the first one learns
        // about a repository, the next one knows.
        expect(cost.second).toBeLessThanOrEqual(4 * 20 + 20);
        expect(cost.first).toBeLessThanOrEqual(4 * 20 + 4 * repositories + 20);
        expect(cost.listed).toBe(SHARES[i] === 1 ? 0 : Math.min(20, Math.ceil(100_000 * (1 - SHARES[i]!))));
      }
    });
  }
});

describe("writes", () => {
  it("are five rows for a delivery of one chunk, one more for each further chunk, none for a duplicate", async () => {
    await runInDurableObject(env.WEBHOOK_STORE.getByName("store-1"), (_, { storage }) => {
      const meter = metered(storage);
      const parts = partsOn(meter.storage);
      for (let n = 1; n <= 100; n++)
        parts.write(delivery({ n, repo: 1 + (n % 7), body: "some words of text ".repeat(50) }), n);
      const write = (n: number, chunks = 1) =>
        meter.cost(() =>
          parts.write(delivery({ n, repo: 3, chunks: Array.from({ length: chunks }, () => new Uint8Array(10)) }), n),
        );
      expect(write(1_000)).toMatchObject({ result: true, written: 5 });
      expect(write(1_001, 4)).toMatchObject({ result: true, written: 8 });
      expect(write(1_001, 4)).toMatchObject({ result: false, written: 0 });
      expect(write(1_002).read).toBeLessThanOrEqual(4);
    });
  });

  it("are at most three rows for a mark, whether it stands alone or joins two intervals", async () => {
    await runInDurableObject(env.WEBHOOK_STORE.getByName("store-1"), (_, { storage }) => {
      const meter = metered(storage);
      const parts = partsOn(meter.storage);
      const ids: string[] = [];
      for (let n = 1; n <= 10; n++) {
        parts.write(delivery({ n, repo: 3 }), n);
        ids.push(delivery({ n }).guid!);
      }
      const mark = (n: number) => meter.cost(() => parts.marker.ids(owner, [ids[n - 1]!])).written;
      expect(mark(2)).toBeLessThanOrEqual(2);
      expect(mark(4)).toBeLessThanOrEqual(2);
      expect(mark(3)).toBeLessThanOrEqual(3);
      expect(mark(3)).toBe(0);
      expect(storage.sql.exec("SELECT lo, hi FROM run").toArray()).toEqual([{ lo: 2, hi: 4 }]);
    });
  });

  it("are one row for marking any number of events of a repository up to a place, and its counts", async () => {
    await runInDurableObject(env.WEBHOOK_STORE.getByName("store-1"), (_, { storage }) => {
      const meter = metered(storage);
      const parts = partsOn(meter.storage);
      storage.transactionSync(() => {
        for (let n = 1; n <= 2_000; n++) parts.write(delivery({ n, repo: 3 }), n);
      });
      const { result, written, read } = meter.cost(() => parts.marker.upTo(owner, 1_990, {}));
      expect(result).toBe(1_990);
      expect(written).toBeLessThanOrEqual(2);
      expect(read).toBeLessThanOrEqual(50);
    });
  });
});
