/**
 * The keyless embedding: a table of word pieces, each a row of int8 numbers and a scale. A text's vector is the mean of
 * its pieces' rows (a piece that occurs n times counts √n), L2-normalised and scaled to int8: no model runs, so
 * thousands of chunks a second fit one core.
 *
 * File format, little-endian: `CRT1`, u32 dimensions, u32 rows, u32 length of a JSON header, the header
 * (`{"id": …, "pieces": […], …}`, UTF-8, padded with spaces to a multiple of 4), f32 scales of the rows, int8 rows.
 * A row's scale carries the weight of its piece, which is learned with it.
 */

import type { Embedder } from "../ports.ts";
import { type Token, tokens } from "../tokenize/tokens.ts";
import { type CountedPieces, PieceCounter } from "./piece-counter.ts";

const MAGIC = "CRT1";

export class BadTableError extends Error {}

export interface StaticTable {
  readonly id: string;
  readonly dimensions: number;
  /** Row of each piece. */
  readonly rows: ReadonlyMap<string, number>;
  readonly scales: Float32Array;
  readonly values: Int8Array;
}

/** Reads a table; `decode` turns UTF-8 into a string (the host's `TextDecoder`). */
export function readStaticTable(bytes: Uint8Array, decode: (bytes: Uint8Array) => string): StaticTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 16 || decode(bytes.subarray(0, 4)) !== MAGIC) throw new BadTableError("not an embedding table");
  const dimensions = view.getUint32(4, true);
  const rowCount = view.getUint32(8, true);
  const headerLength = view.getUint32(12, true);
  const scalesAt = 16 + headerLength;
  const valuesAt = scalesAt + rowCount * 4;
  if (dimensions % 32 !== 0 || bytes.length !== valuesAt + rowCount * dimensions) {
    throw new BadTableError("embedding table of a wrong length");
  }
  const header = JSON.parse(decode(bytes.subarray(16, scalesAt))) as { id: string; pieces: string[] };
  if (header.pieces.length !== rowCount) throw new BadTableError("embedding table with pieces that are not its rows");
  return {
    id: header.id,
    dimensions,
    rows: new Map(header.pieces.map((piece, row) => [piece, row])),
    // Views and reads by position: a host's bytes may be a part of a larger buffer, at any offset.
    scales: Float32Array.from({ length: rowCount }, (_, row) => view.getFloat32(scalesAt + row * 4, true)),
    values: new Int8Array(bytes.buffer, bytes.byteOffset + valuesAt, rowCount * dimensions),
  };
}

/** An embedder that asks no service, and takes the tokens of a text where they are at hand. */
export interface StaticEmbedder extends Embedder {
  embedTokens(tokens: readonly Token[]): Int8Array;
}

/** The table as an embedder. A text without a known piece gets the zero vector, which is close to nothing. */
export function staticEmbedder(table: StaticTable): StaticEmbedder {
  const counter = new PieceCounter(table.rows);
  const embedTokens = (found: readonly Token[]) => meanOf(table, counter.count(found));
  return {
    id: table.id,
    dimensions: table.dimensions,
    embed: async (texts) => texts.map((text) => embedTokens(tokens(text))),
    embedTokens,
  };
}

function meanOf({ dimensions, scales, values }: StaticTable, { length, rows, weights }: CountedPieces): Int8Array {
  const sum = new Float32Array(dimensions);
  for (let entry = 0; entry < length; entry++) {
    const row = rows[entry] as number;
    const scale = (scales[row] as number) * (weights[entry] as number);
    const start = row * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + scale * (values[start + i] as number);
  }
  return quantize(sum);
}

/** L2-normalises a vector and scales it so that a component of 1 is 127. */
export function quantize(vector: ArrayLike<number>): Int8Array {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += (vector[i] as number) ** 2;
  const result = new Int8Array(vector.length);
  if (square === 0) return result;
  const scale = 127 / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) result[i] = Math.round((vector[i] as number) * scale);
  return result;
}
