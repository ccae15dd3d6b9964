/**
 * Keeps the updates of the wanted resources coming, whatever happens to the connection: it is asked for again with
 * growing pauses, and once it stands, every wanted resource counts as updated, since nobody told of what came between.
 */

/** As much of a connection as is needed. */
export interface Watchable {
  watch(uris: readonly string[], signal: AbortSignal, onReady: () => void): Promise<void>;
}

export interface ResourceWatchDeps {
  /** A connection, or null while nobody has signed in. */
  connect(): Promise<Watchable | null>;
  onUpdated(uri: string): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export class ResourceWatch {
  readonly #deps: ResourceWatchDeps;
  #uris: readonly string[] = [];
  #round = new AbortController();
  #wake: () => void = () => {};
  #running = false;
  #hurry = false;

  constructor(deps: ResourceWatchDeps) {
    this.#deps = deps;
  }

  /** These, and no others, from now on. */
  want(uris: readonly string[]): void {
    this.#uris = [...uris];
    this.#round.abort();
    this.retry();
    if (!this.#running && uris.length > 0) void this.#run();
  }

  /** Something has changed for the better: don't wait out the pause, nor begin one. */
  retry(): void {
    this.#hurry = true;
    this.#wake();
  }

  close(): void {
    this.want([]);
  }

  async #run(): Promise<void> {
    this.#running = true;
    let pauseMs = FIRST_PAUSE_MS;
    let missed = false;
    while (this.#uris.length > 0) {
      const uris = this.#uris;
      const round = new AbortController();
      this.#round = round;
      this.#hurry = false;
      try {
        const connection = await this.#deps.connect();
        await connection?.watch(uris, round.signal, () => {
          if (missed) for (const uri of uris) this.#deps.onUpdated(uri);
          pauseMs = FIRST_PAUSE_MS;
          missed = false;
        });
      } catch {
        // Said by the requests that a person waits for; here it is only tried again.
      }
      if (round.signal.aborted) continue;
      missed = true;
      if (this.#hurry) continue;
      await this.#pause(pauseMs * (0.75 + Math.random() / 2));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
    this.#running = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}
