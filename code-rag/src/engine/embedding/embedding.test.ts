import { describe, expect, it } from "vitest";
import { NodeSqlite } from "../../node/sqlite/node-sqlite.ts";
import { hashingEmbedder } from "../conformance/hashing-embedder.ts";
import { migrate } from "../store/migrate.ts";
import { pieces } from "./pieces.ts";
import { BadTableError, quantize, readStaticTable, staticEmbedder } from "./static-table.ts";
import { VectorIndex } from "./vector-index.ts";

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A table file as the training script writes it: one direction for each piece. */
function tableFile(words: readonly string[], dimensions = 32): Uint8Array {
  let header = JSON.stringify({ id: "test:1", pieces: words });
  while (header.length % 4 !== 0) header += " ";
  const bytes = new Uint8Array(16 + header.length + words.length * (4 + dimensions));
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("CRT1"));
  view.setUint32(4, dimensions, true);
  view.setUint32(8, words.length, true);
  view.setUint32(12, header.length, true);
  bytes.set(new TextEncoder().encode(header), 16);
  const scales = 16 + header.length;
  for (let row = 0; row < words.length; row++) {
    view.setFloat32(scales + row * 4, 1 / 127, true);
    view.setInt8(scales + words.length * 4 + row * dimensions + (row % dimensions), 127);
  }
  return bytes;
}

describe("pieces", () => {
  it("takes whole words, and words that are unknown apart from the left", () => {
    const vocabulary = new Set(["token", "re", "##fresh", "##ing", "x"]);
    expect([...pieces("refreshing theToken", vocabulary)]).toEqual(["re", "##fresh", "##ing", "token"]);
    expect([...pieces("日本 ???", vocabulary)]).toEqual([]);
  });
});

describe("the static table", () => {
  it("gives the normalised mean of its pieces", async () => {
    const embedder = staticEmbedder(readStaticTable(tableFile(["read", "file", "write"]), decode));
    const [one, two, none] = await embedder.embed(["read", "readFile", "unknown"], "document");
    expect(embedder).toMatchObject({ id: "test:1", dimensions: 32 });
    expect([...(one ?? [])].slice(0, 3)).toEqual([127, 0, 0]);
    expect([...(two ?? [])].slice(0, 3)).toEqual([90, 90, 0]);
    expect(none?.every((value) => value === 0)).toBe(true);
  });

  it("counts a piece that occurs n times √n times", async () => {
    const embedder = staticEmbedder(readStaticTable(tableFile(["read", "file"]), decode));
    const [vector] = await embedder.embed(["read file; read, read, read"], "document");
    expect([...(vector ?? [])].slice(0, 2)).toEqual([114, 57]);
  });

  it("reads a table that lies somewhere in a larger buffer", async () => {
    const file = tableFile(["read", "file", "write"]);
    const pool = Buffer.alloc(file.length + 64, 0xff);
    pool.set(file, 17);
    const [vector] = await staticEmbedder(readStaticTable(pool.subarray(17, 17 + file.length), decode)).embed(
      ["write"],
      "query",
    );
    expect([...(vector ?? [])].slice(0, 4)).toEqual([0, 0, 127, 0]);
  });

  it("refuses a file that is none, or is cut off", () => {
    const file = tableFile(["read"]);
    for (const bytes of [new Uint8Array(0), new Uint8Array(100), file.subarray(0, file.length - 1), file.subarray(4)]) {
      expect(() => readStaticTable(bytes, decode)).toThrow(BadTableError);
    }
  });
});

describe("the vector index", () => {
  it("finds what a full scan finds, in its order", async () => {
    const sql = NodeSqlite.inMemory();
    migrate(sql);
    const embedder = hashingEmbedder({});
    const texts = Array.from({ length: 2_000 }, (_, i) => `w${i % 40} x${i % 23} y${i % 17} z${i}`);
    const vectors = await embedder.embed(texts, "document");
    vectors.forEach((vector, i) => {
      sql.all("INSERT INTO vectors (hash, vector) VALUES (?, ?)", `h${i}`, new Uint8Array(vector.buffer));
    });
    const index = new VectorIndex(sql, embedder.dimensions);
    expect(index.size).toBe(2_000);
    for (const query of ["w3 x3 y3 z3", "w1 x2 y3", "z1999 x5"]) {
      const [vector] = await embedder.embed([query], "query");
      const exact = vectors
        .map((other, i) => ({
          hash: `h${i}`,
          dot: other.reduce((sum, value, k) => sum + value * (vector?.[k] ?? 0), 0),
        }))
        .sort((a, b) => b.dot - a.dot)
        .slice(0, 5)
        .map((entry) => entry.hash);
      expect(index.nearest(vector as Int8Array, 10).map((entry) => entry.hash)).toEqual(expect.arrayContaining(exact));
      const only = index.nearest(vector as Int8Array, 3, new Set(["h7", "h8"]));
      expect(only.map((entry) => entry.hash).sort()).toEqual(["h7", "h8"]);
    }
  });

  it("a vector's length is 127 after quantising, and zero stays zero", () => {
    expect([...quantize([3, 4])]).toEqual([76, 102]);
    expect([...quantize([0, 0])]).toEqual([0, 0]);
  });
});
