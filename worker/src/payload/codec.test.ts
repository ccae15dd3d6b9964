import { describe, expect, it } from "vitest";
import { pack, unpack, unpackStream } from "./codec.ts";

const MEBIBYTE = 1_048_576;

function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += 65_536) crypto.getRandomValues(bytes.subarray(start, start + 65_536));
  return bytes;
}

function text(length: number): Uint8Array {
  return new TextEncoder()
    .encode("The quick brown fox jumps over the lazy dog. ".repeat(length / 45 + 1))
    .subarray(0, length);
}

async function pieces(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const piece of stream) all.push(piece);
  return all;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && crypto.subtle.timingSafeEqual(a, b);
}

describe("a packed payload", () => {
  it.each([0, 1, 12_700, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 2.5 * MEBIBYTE])(
    "of %i bytes comes back identical, whole and as a stream",
    async (length) => {
      for (const bytes of [text(length), noise(length)]) {
        const packed = pack(bytes);
        expect(packed.size).toBe(length);
        expect(packed.chunks.length).toBe(Math.ceil(length / MEBIBYTE));
        expect(same(unpack(packed), bytes)).toBe(true);
        const streamed = await new Response(unpackStream(packed)).bytes();
        expect(same(streamed, bytes)).toBe(true);
      }
    },
  );

  it("fits a Durable Object's rows, even where it can't be compressed", () => {
    for (const chunk of pack(noise(3 * MEBIBYTE)).chunks) expect(chunk.length).toBeLessThan(2_000_000);
    expect(pack(text(MEBIBYTE)).chunks[0]!.length).toBeLessThan(20_000);
  });

  it("has chunks that own their memory, so that RPC carries nothing else", () => {
    for (const bytes of [text(5_000), noise(5_000)]) {
      for (const chunk of pack(bytes).chunks) expect(chunk.buffer.byteLength).toBe(chunk.length);
    }
  });

  it("is decompressed only as fast as it is read", async () => {
    const packed = pack(text(4 * MEBIBYTE));
    const asked: number[] = [];
    const chunks = new Proxy(packed.chunks, {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) asked.push(Number(key));
        return Reflect.get(target, key);
      },
    });
    const reader = unpackStream({ size: packed.size, chunks }).getReader();
    await scheduler.wait(5);
    expect(asked).toEqual([]);
    await reader.read();
    await scheduler.wait(5);
    expect(asked).toEqual([0]);
    await reader.cancel();
    expect(asked).toEqual([0]);
  });

  it("does not pass for whole when it is damaged", async () => {
    const packed = pack(text(MEBIBYTE + 10));
    expect(() => unpack({ ...packed, chunks: packed.chunks.slice(0, 1) })).toThrow(/unpacked to/);
    expect(() => unpack({ ...packed, size: 10 })).toThrow();
    const unknown = { size: 1, chunks: [new Uint8Array([99, 1])] };
    expect(() => unpack(unknown)).toThrow(/unknown codec: 99/);
    await expect(pieces(unpackStream(unknown))).rejects.toThrow(/unknown codec: 99/);
    const torn = { size: packed.size, chunks: packed.chunks.map((chunk) => chunk.subarray(0, chunk.length - 1)) };
    expect(() => unpack(torn)).toThrow();
  });
});
