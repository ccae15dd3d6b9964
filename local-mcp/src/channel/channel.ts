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
import { within } from "../within.ts";
import type { Backlog, Counted } from "./backlog.ts";
import { ClockWatch, TICK_MS } from "./clock-watch.ts";
import { type Connection, type ConnectionEnd, connect } from "./connection.ts";
import { wants } from "./filter.ts";
import { missedNotification, notificationOf } from "./line.ts";
import { further } from "./position.ts";
import { StreamQueue } from "./stream-queue.ts";

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;
/** A stream that held so long was a good one: back-off and refusals are counted anew. */
const HELD_MS = 10_000;
/** Ids of events that were notified, against a replay that overlaps. */
const REMEMBERED = 2_000;
/** A client that takes nothing must not keep the backlog from the other processes: their turn comes after this. */
const BACKLOG_PATIENCE_MS = 30_000;

/**
 * How soon to come again. `held`: after a good stream; `later`: after one that soon ended; `failed`: there was none;
 * `refused`: there was none, and a fresh token made no difference.
 */
type Again = "at-once" | "held" | "later" | "failed" | "refused";

interface Stream {
  /** The backlog has been told, or the stream is over. Never rejects: `ended` says what went wrong. */
  caughtUp: Promise<void>;
  /** It is over, and what it brought has been told. Rejects if that could not be told, or its place not be kept. */
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
  backlogPatienceMs?: number;
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
  /** How often in a row the Worker did not take the token. */
  #refusals = 0;

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
      const again = await this.#once().catch((error): Again => this.#failed(error));
      if (this.#closed) return;
      if (again === "at-once") continue;
      if (again === "held") backOff = shortest;
      const pause = again === "refused" ? LONGEST_BACK_OFF_MS : backOff;
      // Jitter, so that everybody's bridges don't come at once after a deployment.
      const slept = await this.#sleep(pause * (0.5 + Math.random() / 2));
      if (slept === "woken") backOff = shortest;
      // A Worker that answered is not what longer and longer pauses are for.
      else if (again === "failed") backOff = Math.min(LONGEST_BACK_OFF_MS, backOff * 2);
    }
  }

  /** One stream, from the token to its end. */
  async #once(): Promise<Again> {
    const answer = await this.#deps.access.token({ interactive: false });
    // A sign-in wakes it; what else is wrong is looked at again by and by.
    if (answer.outcome !== "token") return "failed";
    let stream: Stream;
    try {
      stream = await this.#enter(answer.token);
    } catch (error) {
      if (error instanceof NetworkError && error.status === 401) return this.#refused(answer.token);
      throw error;
    }
    const began = performance.now();
    const { code } = await stream.ended.finally(() => {
      this.#connection = null;
    });
    const held = performance.now() - began > HELD_MS;
    if (held) this.#refusals = 0;
    if (code === CloseCode.accessLost) return this.#refused(answer.token);
    return held ? "held" : "later";
  }

  /** The process's first stream begins where the file stands, once nobody else is at the backlog. */
  async #enter(token: string): Promise<Stream> {
    const { state, backlogPatienceMs = BACKLOG_PATIENCE_MS } = this.#deps;
    if (this.#cursor !== null) return await this.#open(token, this.#cursor);
    return await state.exclusive("backlog", async () => {
      const { stream: kept } = await state.read();
      const opened = await this.#open(token, kept?.cursor ?? null);
      await within(backlogPatienceMs, opened.caughtUp);
      return opened;
    });
  }

  /** The token is refreshed at once; if that makes no difference, the Worker is left in peace for a while. */
  #refused(token: string): Again {
    this.#deps.access.reject(token);
    this.#refusals++;
    if (this.#refusals === 1) return "at-once";
    this.#say("the Worker refuses this sign-in, renewed or not.");
    return "refused";
  }

  async #open(token: string, cursor: string | null): Promise<Stream> {
    const { network, workerUrl, silenceMs } = this.#deps;
    let connection: Connection | null = null;
    let problem: { error: unknown } | null = null;
    const queue = new StreamQueue({
      begin: (at) => this.#begin(at),
      event: (frame, backlog) => this.#event(frame, backlog),
      missed: (counted) => this.#tellMissed(counted),
      failed: (error) => {
        problem = { error };
        connection?.close();
      },
    });
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
      if (error instanceof NetworkError && error.status === 400 && cursor !== null) await this.#forgetCursor();
      throw error;
    }
    if (this.#closed || problem) connection.close();
    this.#connection = connection;
    const ended = connection.ended.then(async (end) => {
      await queue.end();
      // What was not told, or not noted, comes again from the last place that was kept.
      if (problem) throw problem.error;
      return end;
    });
    const over = ended.then(
      () => {},
      () => {},
    );
    return { caughtUp: Promise.race([queue.caughtUp, over]), ended };
  }

  async #begin(cursor: string): Promise<void> {
    await this.#reached(cursor);
    this.#lastProblem = null;
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
    this.#say(error instanceof Error ? error.message : String(error));
    return "failed";
  }

  /** Once for each kind of trouble, not once for each attempt. */
  #say(problem: string): void {
    if (problem !== this.#lastProblem) warn(`No notifications for now: ${problem} Trying again.`);
    this.#lastProblem = problem;
  }

  /** `woken`: somebody signed in, or the machine has slept meanwhile, and nothing from before says anything. */
  async #sleep(ms: number): Promise<"passed" | "woken"> {
    const clock = new ClockWatch(Date.now());
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ticker: ReturnType<typeof setInterval> | undefined;
    const slept = await new Promise<"passed" | "woken">((done) => {
      this.#wake = () => done("woken");
      timer = setTimeout(() => done("passed"), ms);
      // A timer does not count the time in which the machine sleeps.
      ticker = setInterval(() => clock.jumped(Date.now()) && done("woken"), TICK_MS);
      timer.unref();
      ticker.unref();
    });
    clearTimeout(timer);
    clearInterval(ticker);
    this.#wake = () => {};
    return slept;
  }
}
