/**
 * The one MCP session with the Worker, shared by everything in the process.
 *
 * It connects when it is first needed. What can be repaired is, once: a token that the Worker refuses is renewed, a
 * connection that it does not know any more is opened anew. Nothing is tried for ever: a Worker that refuses every
 * token sees two calls, and then none for half a minute.
 */
import type { Access, Network, WorkerAnswer, WorkerSession } from "../ports.ts";
import type { Attempt, Connection } from "./connection.ts";
import { workerFetch } from "./exchange.ts";
import { FailedExchange, sentenceOf, type WorkerFailure } from "./failure.ts";
import { ResourceWatch, type Watchable } from "./resource-watch.ts";

export interface WorkerSessionDeps {
  network: Network;
  access: Access;
  /** Origin of the Worker. */
  workerUrl: string;
  /** Of the bridge: what the Worker is told about its client. */
  version: string;
}

type RequestOptions = Parameters<WorkerSession["request"]>[2];

/** A Worker answers in milliseconds; one that wakes up and asks GitHub, in seconds. */
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_TIMEOUT_MS = 30_000;
/** How long a sign-in that was refused twice is not tried again. */
const REFUSAL_MS = 30_000;

/** The SDK's client is loaded with the first request: `initialize` needs none of it, and a host waits for that. */
async function openConnection(...of: Parameters<typeof Connection.open>): Promise<Connection> {
  const { Connection } = await import("./connection.ts");
  return Connection.open(...of);
}

export function createWorkerSession(deps: WorkerSessionDeps): WorkerSession {
  return new Session(deps);
}

class Session implements WorkerSession {
  readonly #deps: WorkerSessionDeps;
  readonly #listeners: ((method: string, params: Record<string, unknown>) => void)[] = [];
  readonly #watch: ResourceWatch;
  readonly #closed = new AbortController();
  #connection: Promise<Connection> | null = null;
  #instructions: string | null = null;
  /** What requests carry from now on: a connection lives longer than a token. */
  #token = "";
  // Times are by the monotonic clock: a wrong one that is set right must not make a minute of hours.
  /** The last token that was given back for a new one, and has not been followed by one that works. */
  #rejected: { token: string; at: number } | null = null;
  #refused: { token: string; until: number } | null = null;

  constructor(deps: WorkerSessionDeps) {
    this.#deps = deps;
    this.#watch = new ResourceWatch({
      connect: () => this.#watchable(),
      onUpdated: (uri) => this.#emit("notifications/resources/updated", { uri }),
    });
    deps.access.onAvailable(() => this.#watch.retry());
  }

  async request(
    method: string,
    params: Record<string, unknown> | undefined,
    { interactive, signal, timeoutMs = DEFAULT_TIMEOUT_MS, onProgress }: RequestOptions,
  ): Promise<WorkerAnswer> {
    const ended = new AbortController();
    const end = () => ended.abort();
    const timer = setTimeout(end, timeoutMs);
    for (const from of [signal, this.#closed.signal]) {
      if (from?.aborted) end();
      else from?.addEventListener("abort", end, { once: true });
    }
    const out = new Promise<WorkerAnswer>((done) => {
      const late = () => done(this.#unavailable({ kind: "timeout", seconds: timeoutMs / 1_000 }));
      if (ended.signal.aborted) late();
      else ended.signal.addEventListener("abort", late, { once: true });
    });
    try {
      const answer = this.#repairing(interactive, (connection) =>
        connection.request(method, params, { signal: ended.signal, ...(onProgress && { onProgress }) }),
      );
      return await Promise.race([answer, out]);
    } catch (error) {
      return this.#unavailable({ kind: "unreadable", reason: error instanceof Error ? error.message : String(error) });
    } finally {
      clearTimeout(timer);
      for (const from of [signal, this.#closed.signal]) from?.removeEventListener("abort", end);
    }
  }

  instructions(): string | null {
    return this.#instructions;
  }

  onNotification(listener: (method: string, params: Record<string, unknown>) => void): void {
    this.#listeners.push(listener);
  }

  watchResources(uris: readonly string[]): void {
    this.#watch.want(uris);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#watch.close();
    // Not waited for: one that is just being opened would take its time.
    this.#connection?.then((connection) => connection.close()).catch(() => {});
    this.#connection = null;
  }

  /** Makes the request, and once more where a new token or connection may help. */
  async #repairing(interactive: boolean, send: (connection: Connection) => Promise<Attempt>): Promise<WorkerAnswer> {
    for (let last = false; ; last = true) {
      const access = await this.#deps.access.token({ interactive });
      if (access.outcome !== "token") return access;
      if (this.#isRefused(access.token)) return this.#unavailable({ kind: "unauthorized" });
      const attempt = await this.#attempt(access.token, send);
      if (attempt.outcome !== "failed") {
        this.#rejected = null;
        return attempt;
      }
      const { failure } = attempt;
      if (failure.kind === "unauthorized") this.#onUnauthorized(access.token);
      if (last || (failure.kind !== "unauthorized" && failure.kind !== "session-lost")) {
        return this.#unavailable(failure);
      }
    }
  }

  async #attempt(token: string, send: (connection: Connection) => Promise<Attempt>): Promise<Attempt> {
    this.#token = token;
    const opening = this.#open();
    try {
      const attempt = await send(await opening);
      if (attempt.outcome === "failed" && attempt.failure.kind === "session-lost") this.#drop(opening);
      return attempt;
    } catch (error) {
      if (!(error instanceof FailedExchange)) throw error;
      return { outcome: "failed", failure: error.failure };
    }
  }

  /** The connection, opened if there is none; one opening at a time, for all who wait. */
  #open(): Promise<Connection> {
    if (this.#connection) return this.#connection;
    const { network, workerUrl, version } = this.#deps;
    const opening = openConnection(`${workerUrl}/mcp`, {
      fetch: workerFetch(network, () => this.#token),
      version,
      timeoutMs: CONNECT_TIMEOUT_MS,
      onNotification: (method, params) => this.#emit(method, params),
    });
    this.#connection = opening;
    opening.then(
      ({ instructions }) => {
        this.#instructions = instructions;
      },
      () => {
        if (this.#connection === opening) this.#connection = null;
      },
    );
    return opening;
  }

  #drop(opening: Promise<Connection>): void {
    // Another request may have opened a new one meanwhile.
    if (this.#connection !== opening) return;
    this.#connection = null;
    opening.then((connection) => connection.close()).catch(() => {});
  }

  /** For what goes on in the background: a connection if one can be had without a person. */
  async #watchable(): Promise<Watchable | null> {
    const access = await this.#deps.access.token({ interactive: false });
    if (access.outcome !== "token" || this.#isRefused(access.token) || this.#closed.signal.aborted) return null;
    this.#token = access.token;
    const opening = this.#open();
    return {
      watch: async (...watched) => {
        try {
          await (await opening).watch(...watched);
        } catch (error) {
          const kind = error instanceof FailedExchange ? error.failure.kind : null;
          if (kind === "unauthorized") this.#onUnauthorized(access.token);
          if (kind === "session-lost") this.#drop(opening);
          throw error;
        }
      },
    };
  }

  /** Has a refused token renewed, or notes that the Worker refuses a renewed one: for all requests, not only this. */
  #onUnauthorized(token: string): void {
    const now = performance.now();
    const before = this.#rejected;
    if (before && before.token !== token && now < before.at + REFUSAL_MS) {
      this.#refused = { token, until: now + REFUSAL_MS };
    } else if (before?.token !== token) {
      this.#rejected = { token, at: now };
      this.#deps.access.reject(token);
    }
  }

  /** A token that was refused right after its renewal. When its time is over, the next refusal renews it. */
  #isRefused(token: string): boolean {
    return this.#refused !== null && this.#refused.token === token && performance.now() < this.#refused.until;
  }

  #unavailable(failure: WorkerFailure): WorkerAnswer {
    return { outcome: "unavailable", sentence: sentenceOf(failure, this.#deps.workerUrl) };
  }

  #emit(method: string, params: Record<string, unknown>): void {
    for (const listener of this.#listeners) listener(method, params);
  }
}
