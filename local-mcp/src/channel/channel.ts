/**
 * Pushes events to the client while it runs: one stream to the Worker, opened again for as long as the process lives.
 *
 * Guarantees: none is lost, none notified twice within the process, and after a kill at most one is repeated, because
 * the position is kept behind each notification. What came while no bridge ran reaches one of them: the first stream of
 * a process begins where the state file stands, by one process at a time. A push marks nothing as processed.
 */
import { CloseCode, type EventFrame } from "@github-webhook-mcp/shared/stream.ts";
import { warn } from "../log.ts";
import { NetworkError } from "../network/network-error.ts";
import type { Access, Channel, ChannelConfig, Network, Notify, StateFile } from "../ports.ts";
import type { Backlog, Counted } from "./backlog.ts";
import { type Connection, type ConnectionEnd, connect } from "./connection.ts";
import { wants } from "./filter.ts";
import { missedNotification, notificationOf } from "./line.ts";
import { further } from "./position.ts";
import { StreamQueue } from "./stream-queue.ts";

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;
/** A connection that held so long starts the back-off anew. */
const HELD_MS = 10_000;
/** Ids of events that were notified, against a replay that overlaps. */
const REMEMBERED = 2_000;

/** How soon to come again. `later`: the stream had begun; `failed`: it had not. */
type Again = "at-once" | "later" | "failed";

interface Stream {
  /** The backlog has been told, or the stream is over. */
  caughtUp: Promise<void>;
  /** It is over, and what it brought has been told. */
  ended: Promise<ConnectionEnd>;
}

export interface ChannelDeps {
  network: Network;
  access: Access;
  state: StateFile;
  workerUrl: string;
  config: ChannelConfig;
  notify: Notify;
  /** Shorter in tests. */
  silenceMs?: number;
  backOffMs?: number;
}

export function createChannel(deps: ChannelDeps): Channel {
  return deps.config.enabled ? new EventChannel(deps) : offChannel;
}

const offChannel: Channel = { start: () => {}, connected: async () => {}, close: () => {} };

class EventChannel implements Channel {
  readonly #deps: ChannelDeps;
  readonly #connected: Promise<void>;
  #markConnected: () => void = () => {};
  /** Where this process stands; null until its first stream. */
  #cursor: string | null = null;
  readonly #notified = new Set<string>();
  #connection: Connection | null = null;
  #closed = false;
  #wake: () => void = () => {};
  #lastProblem: string | null = null;

  constructor(deps: ChannelDeps) {
    this.#deps = deps;
    this.#connected = new Promise((done) => {
      this.#markConnected = done;
    });
  }

  start(): void {
    this.#deps.access.onAvailable(() => this.#wake());
    void this.#run();
  }

  connected(): Promise<void> {
    return this.#connected;
  }

  close(): void {
    this.#closed = true;
    this.#connection?.close();
    this.#wake();
  }

  async #run(): Promise<void> {
    const shortest = this.#deps.backOffMs ?? FIRST_BACK_OFF_MS;
    let backOff = shortest;
    while (!this.#closed) {
      const began = performance.now();
      const again = await this.#once().catch((error): Again => this.#failed(error));
      if (this.#closed) return;
      if (performance.now() - began > HELD_MS) backOff = shortest;
      if (again === "at-once") continue;
      // Jitter, so that everybody's bridges don't come at once after a deployment.
      await this.#sleep(backOff * (0.5 + Math.random() / 2));
      // A Worker that answered is not what longer and longer pauses are for.
      if (again === "failed") backOff = Math.min(LONGEST_BACK_OFF_MS, backOff * 2);
    }
  }

  /** One stream, from the token to its end. */
  async #once(): Promise<Again> {
    const { access, state } = this.#deps;
    const answer = await access.token({ interactive: false });
    if (answer.outcome !== "token") {
      // A sign-in wakes it; what else is wrong is looked at again by and by.
      await this.#sleep(LONGEST_BACK_OFF_MS);
      return "at-once";
    }
    let stream: Stream;
    if (this.#cursor === null) {
      stream = await state.exclusive("backlog", async () => {
        const { stream: kept } = await state.read();
        const opened = await this.#open(answer.token, kept?.cursor ?? null);
        await opened.caughtUp;
        return opened;
      });
    } else stream = await this.#open(answer.token, this.#cursor);
    const { code } = await stream.ended;
    this.#connection = null;
    if (code !== CloseCode.accessLost) return "later";
    access.reject(answer.token);
    return "at-once";
  }

  async #open(token: string, cursor: string | null): Promise<Stream> {
    const { network, workerUrl, silenceMs } = this.#deps;
    const queue = new StreamQueue({
      begin: (at) => this.#begin(at),
      event: (frame, backlog) => this.#event(frame, backlog),
      missed: (counted) => this.#tellMissed(counted),
    });
    let connection: Connection;
    try {
      connection = await connect({
        network,
        workerUrl,
        token,
        cursor,
        handlers: {
          onConnected: (at) => queue.connected(at),
          onClock: (now) => queue.clock(now),
          onEvent: (frame) => queue.event(frame),
        },
        ...(silenceMs && { silenceMs }),
      });
    } catch (error) {
      if (error instanceof NetworkError && error.status === 401) this.#deps.access.reject(token);
      if (error instanceof NetworkError && error.status === 400 && cursor !== null) await this.#forgetCursor();
      throw error;
    }
    if (this.#closed) connection.close();
    this.#connection = connection;
    this.#lastProblem = null;
    const ended = connection.ended.then(async (end) => {
      await queue.end();
      return end;
    });
    return { caughtUp: Promise.race([queue.caughtUp, ended.then(() => {})]), ended };
  }

  async #begin(cursor: string): Promise<void> {
    await this.#reached(cursor);
    this.#markConnected();
  }

  async #event({ event_id: id, summary, cursor }: EventFrame, backlog: Backlog): Promise<void> {
    if (!this.#notified.has(id) && wants(this.#deps.config, summary)) {
      // Counted ones are told, and the position moved behind them, with the line that says how many.
      if (backlog.isMissed(summary.received_at) && backlog.take(cursor) === "count") return;
      await this.#deps.notify(notificationOf(id, summary));
      this.#remember(id);
    }
    if (backlog.counted === null) await this.#reached(cursor);
  }

  async #tellMissed({ count, cursor }: Counted): Promise<void> {
    await this.#deps.notify(missedNotification(count, Date.now()));
    await this.#reached(cursor);
  }

  #remember(id: string): void {
    this.#notified.add(id);
    if (this.#notified.size <= REMEMBERED) return;
    for (const oldest of this.#notified) {
      this.#notified.delete(oldest);
      break;
    }
  }

  async #reached(cursor: string): Promise<void> {
    this.#cursor = cursor;
    await this.#deps.state.update((state) => ({ ...state, stream: { cursor: further(state.stream?.cursor, cursor) } }));
  }

  async #forgetCursor(): Promise<void> {
    this.#cursor = null;
    await this.#deps.state.update(({ stream: _, ...rest }) => rest);
  }

  #failed(error: unknown): Again {
    const problem = error instanceof Error ? error.message : String(error);
    // Once for each kind of trouble, not once for each attempt.
    if (problem !== this.#lastProblem) warn(`No notifications for now: ${problem} Trying again.`);
    this.#lastProblem = problem;
    return "failed";
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
    this.#wake = () => {};
  }
}
