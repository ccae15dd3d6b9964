import { quantize } from "../../src/engine/embedding/static-table.ts";

/** The file that `engine/embedding/static-table.ts` reads: each row as int8 numbers and a scale. */
export function tableBytes(
  id: string,
  pieces: readonly string[],
  values: Float32Array,
  dimensions: number,
): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify({ id, pieces }));
  const headerLength = Math.ceil(text.length / 4) * 4;
  const scalesAt = 16 + headerLength;
  const valuesAt = scalesAt + pieces.length * 4;
  const bytes = new Uint8Array(valuesAt + pieces.length * dimensions).fill(0x20, 16, scalesAt);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("CRT1"));
  view.setUint32(4, dimensions, true);
  view.setUint32(8, pieces.length, true);
  view.setUint32(12, headerLength, true);
  bytes.set(text, 16);
  for (let row = 0; row < pieces.length; row++) {
    const own = values.subarray(row * dimensions, (row + 1) * dimensions);
    const length = Math.sqrt(own.reduce((sum, value) => sum + value * value, 0));
    view.setFloat32(scalesAt + row * 4, length / 127, true);
    bytes.set(new Uint8Array(quantize(own).buffer), valuesAt + row * dimensions);
  }
  return bytes;
}
