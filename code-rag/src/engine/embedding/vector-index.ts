/**
 * Nearest chunks by cosine, over int8 vectors held in memory.
 *
 * A scan has two steps: the signs of all vectors (256 bits each) are compared first, which reads an eighth of the
 * memory; only the closest few are compared in full. The cache follows the database: new vectors are loaded when they
 * appear, and everything is loaded again when chunks were removed.
 */

import type { SqlDriver } from "../ports.ts";
import { readMeta } from "../store/meta.ts";

export interface Neighbour {
  readonly hash: string;
  /** Cosine similarity, -1…1. */
  readonly similarity: number;
}

/** How many of the closest by sign are compared in full, for each result wanted. */
const OVERSAMPLING = 8;

export class VectorIndex {
  readonly #sql: SqlDriver;
  readonly #dimensions: number;
  #embedder: string | undefined;
  #removals: string | undefined;
  #lastId = 0;
  #count = 0;
  #hashes: string[] = [];
  #vectors: Int8Array;
  #signs: Int32Array;

  constructor(sql: SqlDriver, dimensions: number) {
    this.#sql = sql;
    this.#dimensions = dimensions;
    this.#vectors = new Int8Array(0);
    this.#signs = new Int32Array(0);
  }

  /** Number of vectors at hand after looking for new ones. */
  get size(): number {
    this.#follow();
    return this.#count;
  }

  /** The closest contents to `query`, best first. `allowed` narrows to some hashes. */
  nearest(query: Int8Array, limit: number, allowed?: ReadonlySet<string>): Neighbour[] {
    this.#follow();
    const chosen = this.#closestBySign(query, limit * OVERSAMPLING, allowed);
    const scale = 1 / (127 * 127);
    const neighbours = chosen.map((row) => ({
      hash: this.#hashes[row] as string,
      similarity: this.#dot(query, row) * scale,
    }));
    neighbours.sort((a, b) => b.similarity - a.similarity);
    return neighbours.slice(0, limit);
  }

  #closestBySign(query: Int8Array, wanted: number, allowed: ReadonlySet<string> | undefined): number[] {
    const words = this.#dimensions >> 5;
    const querySigns = new Int32Array(words);
    packSigns(query, 0, querySigns, 0);
    const distances = new Uint16Array(this.#count);
    const histogram = new Uint32Array(this.#dimensions + 2);
    for (let row = 0; row < this.#count; row++) {
      if (allowed && !allowed.has(this.#hashes[row] as string)) {
        distances[row] = this.#dimensions + 1;
        continue;
      }
      let distance = 0;
      for (let word = 0, at = row * words; word < words; word++, at++) {
        distance += popCount((this.#signs[at] as number) ^ (querySigns[word] as number));
      }
      distances[row] = distance;
      histogram[distance] = (histogram[distance] as number) + 1;
    }
    let threshold = 0;
    for (let seen = 0; threshold <= this.#dimensions; threshold++) {
      seen += histogram[threshold] as number;
      if (seen >= wanted) break;
    }
    const rows: number[] = [];
    const limit = Math.min(threshold, this.#dimensions);
    for (let row = 0; row < this.#count; row++) if ((distances[row] as number) <= limit) rows.push(row);
    return rows;
  }

  #dot(query: Int8Array, row: number): number {
    let sum = 0;
    const start = row * this.#dimensions;
    for (let i = 0; i < this.#dimensions; i++) sum += (query[i] as number) * (this.#vectors[start + i] as number);
    return sum;
  }

  #follow(): void {
    const removals = readMeta(this.#sql, "removals");
    const embedder = readMeta(this.#sql, "embedder");
    if (removals !== this.#removals || embedder !== this.#embedder) {
      this.#removals = removals;
      this.#embedder = embedder;
      this.#lastId = 0;
      this.#count = 0;
      this.#hashes = [];
    }
    const rows = this.#sql.all<{ id: number; hash: string; vector: Uint8Array | ArrayBuffer }>(
      "SELECT id, hash, vector FROM vectors WHERE id > ? ORDER BY id",
      this.#lastId,
    );
    if (rows.length === 0) return;
    this.#reserve(this.#count + rows.length);
    for (const row of rows) this.#append(row.hash, new Int8Array(bytesOf(row.vector)));
    this.#lastId = (rows.at(-1) as { id: number }).id;
  }

  #append(hash: string, vector: Int8Array): void {
    // A vector of another length is of another model, on its way out.
    if (vector.length !== this.#dimensions) return;
    this.#vectors.set(vector, this.#count * this.#dimensions);
    packSigns(vector, 0, this.#signs, this.#count * (this.#dimensions >> 5));
    this.#hashes[this.#count] = hash;
    this.#count++;
  }

  #reserve(rows: number): void {
    const capacity = this.#vectors.length / this.#dimensions;
    if (rows <= capacity) return;
    const room = Math.max(rows, Math.ceil(capacity * 1.5));
    const vectors = new Int8Array(room * this.#dimensions);
    vectors.set(this.#vectors);
    this.#vectors = vectors;
    const signs = new Int32Array(room * (this.#dimensions >> 5));
    signs.set(this.#signs);
    this.#signs = signs;
  }
}

function bytesOf(blob: Uint8Array | ArrayBuffer): ArrayBufferLike {
  return blob instanceof Uint8Array ? blob.slice().buffer : blob;
}

function packSigns(vector: Int8Array, from: number, into: Int32Array, at: number): void {
  for (let word = 0; word < vector.length >> 5; word++) {
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) if ((vector[from + word * 32 + bit] as number) > 0) bits |= 1 << bit;
    into[at + word] = bits;
  }
}

/** Set bits of a 32-bit integer (the parallel method of Hacker's Delight, 5-1). */
function popCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
