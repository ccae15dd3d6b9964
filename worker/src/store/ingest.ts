/**
 * Group commit. Deliveries that arrive while others are on their way are written together: the limit of a store is
 * the fsync of each commit, not the rows. Each caller is answered after the commit that holds its delivery
 * (Cloudflare's output gate holds the answer back until the disk has it).
 *
 * A delivery that the quota has no room for waits for the next lease; redeliveries are recognised first, so that they
 * are accepted even when the quota is spent.
 */
import type { IngestDelivery, IngestResult, QuotaLease } from "../ports.ts";
import type { Counters } from "./counters.ts";
import type { EventLog, LogRow } from "./event-log.ts";
import type { PendingCache } from "./pending.ts";
import { LEASE_SIZE, type Lease } from "./quota-lease.ts";
import type { SearchIndex } from "./search.ts";

interface Waiting {
  delivery: IngestDelivery;
  resolve(result: IngestResult): void;
  reject(error: unknown): void;
}

export interface IngestParts {
  storage: DurableObjectStorage;
  log: EventLog;
  counters: Counters;
  pending: PendingCache;
  search: SearchIndex;
  lease: Lease;
  /** Asks the authority for more quota. */
  askLease(accountId: number, wanted: number): Promise<QuotaLease>;
  /** Called in the transaction of a delivery that bears on the store as a whole. */
  lifecycle(change: NonNullable<IngestDelivery["lifecycle"]>, now: number): void;
  /** Called after the commit with what is new, oldest first. */
  committed(events: readonly LogRow[], deliveries: readonly IngestDelivery[]): void;
}

type Written = { result: IngestResult; event?: LogRow };

/** Thrown inside a transaction to say that a delivery has to wait for quota. */
const NO_QUOTA = Symbol("no quota");

export class IngestQueue {
  readonly #parts: IngestParts;
  #queue: Waiting[] = [];
  #scheduled = false;
  #leasing: Promise<void> | null = null;

  constructor(parts: IngestParts) {
    this.#parts = parts;
  }

  /** Stores a delivery, or says that it is there already, or that the quota is spent. */
  add(delivery: IngestDelivery): Promise<IngestResult> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ delivery, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A turn of the event loop, so that deliveries which are already on their way join this commit.
    setTimeout(() => this.#flush(), 0);
  }

  #flush(): void {
    this.#scheduled = false;
    const group = this.#queue;
    this.#queue = [];
    const starved = this.#commit(group);
    if (starved.length > 0) void this.#waitForLease(starved);
  }

  /** Writes a group in one transaction; where one of it can't be written, each in its own. Returns what needs quota. */
  #commit(group: readonly Waiting[]): Waiting[] {
    const starved: Waiting[] = [];
    try {
      this.#settle(group, this.#transaction(group), starved);
    } catch (error) {
      if (group.length === 1) {
        group[0]!.reject(error);
        return starved;
      }
      for (const waiting of group) {
        try {
          this.#settle([waiting], this.#transaction([waiting]), starved);
        } catch (cause) {
          waiting.reject(cause);
        }
      }
    }
    return starved;
  }

  #transaction(group: readonly Waiting[]): (Written | typeof NO_QUOTA)[] {
    const { storage, log, pending, lease } = this.#parts;
    const head = log.head;
    try {
      return storage.transactionSync(() => group.map(({ delivery }) => this.#write(delivery)));
    } catch (error) {
      log.rewind(head);
      pending.clear();
      lease.reload();
      throw error;
    }
  }

  #write(delivery: IngestDelivery): Written | typeof NO_QUOTA {
    const { log, counters, pending, search, lease } = this.#parts;
    const known = log.known(delivery);
    if (known.id !== null) return { result: { outcome: "duplicate", id: known.id } };
    const now = Date.now();
    if (!delivery.quotaExempt && !lease.allows(log.head, now)) {
      const retryAfterSeconds = lease.retryAfter(now);
      return retryAfterSeconds === null ? NO_QUOTA : { result: { outcome: "quota", retryAfterSeconds } };
    }
    const event = log.insert(delivery, known.guidTaken, now);
    if (delivery.quotaExempt) lease.exempt(now);
    counters.added(event, delivery.repositoryName);
    search.add(event.seq, delivery.text);
    pending.added(event, delivery.repositoryName);
    if (delivery.lifecycle) this.#parts.lifecycle(delivery.lifecycle, now);
    return { result: { outcome: "stored", id: event.id }, event };
  }

  #settle(group: readonly Waiting[], written: readonly (Written | typeof NO_QUOTA)[], starved: Waiting[]): void {
    const events: LogRow[] = [];
    const deliveries: IngestDelivery[] = [];
    for (const [i, outcome] of written.entries()) {
      const waiting = group[i]!;
      if (outcome === NO_QUOTA) {
        starved.push(waiting);
        continue;
      }
      waiting.resolve(outcome.result);
      if (outcome.event) {
        events.push(outcome.event);
        deliveries.push(waiting.delivery);
      }
    }
    if (events.length > 0) this.#parts.committed(events, deliveries);
  }

  /** Gets quota for deliveries that wait for it, then queues them again. One question at a time. */
  async #waitForLease(starved: readonly Waiting[]): Promise<void> {
    const { lease, log, askLease } = this.#parts;
    try {
      this.#leasing ??= askLease(starved[0]!.delivery.accountId, Math.max(LEASE_SIZE, starved.length))
        .then((granted) => lease.take(granted, log.head))
        .finally(() => {
          this.#leasing = null;
        });
      await this.#leasing;
      this.#queue.push(...starved);
      this.#schedule();
    } catch (error) {
      for (const { reject } of starved) reject(error);
    }
  }
}
