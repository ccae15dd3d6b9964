/**
 * How payloads are kept: the raw JSON text, in pieces of 1 MiB that are compressed each by itself. So a chunk always
 * fits a Durable Object's row (2 MB), and a 25 MB payload is read back one piece at a time.
 *
 * A chunk's first byte names its codec, so that later versions can add others and still read these. Why zstd, level 1:
 * docs/decisions/010-payload-compression.md.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { PackedPayload } from "../ports.ts";

/** Bytes of raw text in each chunk, the last one excepted. */
const PIECE = 1_048_576;

/** The bytes stand behind the codec's byte as they are: for what compression would make longer. */
const RAW = 0;
/** One zstd frame (RFC 8878). */
const ZSTD = 1;

const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Packs the UTF-8 bytes of a JSON text. */
export function pack(bytes: Uint8Array): PackedPayload {
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += PIECE) chunks.push(encode(bytes.subarray(start, start + PIECE)));
  return { size: bytes.length, chunks };
}

/** The whole text, in one buffer. Throws if the chunks are not what `pack` made. */
export function unpack(payload: PackedPayload): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(payload.size);
  let end = 0;
  for (const chunk of payload.chunks) {
    const piece = decode(chunk);
    bytes.set(piece, end);
    end += piece.length;
  }
  if (end !== payload.size) throw new Error(`A payload of ${payload.size} bytes unpacked to ${end}`);
  return bytes;
}

/** The text piece by piece: the next one is decompressed when its reader asks for it. */
export function unpackStream(payload: PackedPayload): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = payload.chunks[next++];
        if (chunk === undefined) controller.close();
        else controller.enqueue(decode(chunk));
      },
    },
    { highWaterMark: 0 },
  );
}

function encode(piece: Uint8Array): Uint8Array {
  const compressed = zstdCompressSync(piece, OPTIONS);
  return compressed.length < piece.length ? withCodec(ZSTD, compressed) : withCodec(RAW, piece);
}

/** A copy of its own: a view into a larger buffer would drag all of that through RPC. */
function withCodec(codec: number, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(data.length + 1);
  chunk[0] = codec;
  chunk.set(data, 1);
  return chunk;
}

function decode(chunk: Uint8Array): Uint8Array {
  const data = chunk.subarray(1);
  switch (chunk[0]) {
    case RAW:
      return data;
    case ZSTD:
      return zstdDecompressSync(data, { maxOutputLength: PIECE });
    default:
      throw new Error(`A payload chunk names an unknown codec: ${chunk[0]}`);
  }
}
