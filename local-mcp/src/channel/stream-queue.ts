/**
 * The frames of one stream, dealt with one after another. Events wait until the Worker has said what time it is, since
 * only then is it known which of them are news; when the backlog is over, what was only counted of it is told.
 */
import type { EventFrame } from "@github-webhook-mcp/shared/stream.ts";
import { Backlog, type Counted } from "./backlog.ts";

/** The backlog is over when nothing of it has come for so long. */
const QUIET_MS = 750;
/** When neither the Worker's clock nor an event has come for so long, everything is news. */
const CLOCK_PATIENCE_MS = 3_000;

export interface StreamHandlers {
  begin(cursor: string): Promise<void>;
  event(frame: EventFrame, backlog: Backlog): Promise<void>;
  missed(counted: Counted): Promise<void>;
  /** One of these failed. Nothing more is dealt with: what follows must not be told behind a gap. */
  failed(error: unknown): void;
}

export class StreamQueue {
  readonly #handlers: StreamHandlers;
  readonly #backlog = new Backlog();
  /** Resolves when the backlog has been told. */
  readonly caughtUp: Promise<void>;
  #markCaughtUp: () => void = () => {};
  #waiting: EventFrame[] = [];
  #work: Promise<void> = Promise.resolve();
  #broken = false;
  #quiet: ReturnType<typeof setTimeout> | null = null;
  #ended = false;
  readonly #clockPatience: ReturnType<typeof setTimeout>;

  constructor(handlers: StreamHandlers) {
    this.#handlers = handlers;
    this.caughtUp = new Promise((done) => {
      this.#markCaughtUp = done;
    });
    this.#clockPatience = setTimeout(() => this.clock(0), CLOCK_PATIENCE_MS);
    this.#clockPatience.unref();
  }

  connected(cursor: string): void {
    this.#then(() => this.#handlers.begin(cursor));
  }

  /** The Worker's clock; the first one counts. */
  clock(now: number): void {
    if (this.#backlog.known) return;
    clearTimeout(this.#clockPatience);
    this.#backlog.clock = now;
    for (const frame of this.#waiting.splice(0)) this.#deal(frame);
    this.#awaitQuiet();
  }

  event(frame: EventFrame): void {
    if (this.#backlog.known) this.#deal(frame);
    else {
      this.#waiting.push(frame);
      // On a slow line the clock stands behind what is replayed.
      this.#clockPatience.refresh();
    }
  }

  /** The connection is over: resolves when everything that came is dealt with. */
  async end(): Promise<void> {
    this.#ended = true;
    this.clock(0);
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    await this.#work;
  }

  #deal(frame: EventFrame): void {
    const missed = this.#backlog.isMissed(frame.summary.received_at);
    if (missed) this.#awaitQuiet();
    this.#then(async () => {
      if (!missed) await this.#tellMissed();
      await this.#handlers.event(frame, this.#backlog);
    });
  }

  #awaitQuiet(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    if (this.#ended) return;
    this.#quiet = setTimeout(() => {
      this.#then(async () => {
        await this.#tellMissed();
        this.#markCaughtUp();
      });
    }, QUIET_MS);
    this.#quiet.unref();
  }

  async #tellMissed(): Promise<void> {
    const { counted } = this.#backlog;
    if (counted === null) return;
    this.#backlog.told();
    await this.#handlers.missed(counted);
  }

  /** After what is under way. */
  #then(step: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#broken) return;
      try {
        await step();
      } catch (error) {
        this.#broken = true;
        this.#handlers.failed(error);
      }
    });
  }
}
