/**
 * What a host gives to the engine. Nothing here names a runtime: `node:sqlite` and a Durable Object's SQLite both fit.
 */

/** A value that goes into or comes out of a statement. Blobs come back as `Uint8Array` or `ArrayBuffer`, by host. */
export type SqlValue = string | number | null | Uint8Array | ArrayBuffer;

/**
 * Synchronous SQLite. A statement takes at most 100 parameters and no LIKE or GLOB pattern above 50 bytes (the limits
 * of Durable Objects), so the engine passes lists as one JSON parameter and matches patterns itself.
 */
export interface SqlDriver {
  /** Runs one statement and gives its rows; a statement without rows gives an empty list. */
  all<Row extends object>(sql: string, ...params: SqlValue[]): Row[];
  /** Runs `body` in one transaction; an exception rolls back and is thrown on. Not nested. */
  transaction<T>(body: () => T): T;
}

/** A collision-resistant digest of a text, as a short printable string. Only equality is used. */
export type Digest = (text: string) => string;

/** Turns texts into vectors of one fixed dimension, L2-normalised and scaled to int8. */
export interface Embedder {
  /** Names the model and everything that changes its vectors; another id means other vectors. */
  readonly id: string;
  readonly dimensions: number;
  embed(texts: readonly string[], purpose: "document" | "query"): Promise<Int8Array[]>;
}

/** A language model that answers one prompt. Implementations retry with back-off and throw `ModelError`. */
export interface ChatModel {
  /** Provider and model: part of the key under which answers are cached. */
  readonly id: string;
  complete(request: ChatRequest): Promise<string>;
}

export interface ChatRequest {
  readonly system: string;
  readonly user: string;
  readonly maxTokens: number;
  readonly signal?: AbortSignalLike;
}

/** The part of `AbortSignal` that the engine uses; named here because the engine compiles without a runtime's names. */
export interface AbortSignalLike {
  readonly aborted: boolean;
}
