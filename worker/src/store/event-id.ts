/**
 * Event ids. An event is named by its delivery GUID where that is free and well-formed; else by a minted UUIDv8
 * (RFC 9562 §5.8) that carries the seq. Both are found without an index of their own: the GUID's bytes lead the
 * unique delivery key, and the minted id leads to the row.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The 16 bytes of a lower-case UUID text; null where it is none. */
export function uuidBytes(id: string): Uint8Array | null {
  if (!UUID.test(id)) return null;
  const hex = id.replaceAll("-", "");
  return Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

/** A new UUIDv8 whose first 48 bits are the seq, the rest random. */
export function mintId(seq: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setUint32(0, Math.floor(seq / 0x10000));
  new DataView(bytes.buffer).setUint16(4, seq % 0x10000);
  bytes[6] = 0x80 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The seq that a minted id would carry; null for an id of another version. */
export function mintedSeq(id: string): number | null {
  const bytes = uuidBytes(id);
  if (!bytes || bytes[6]! >> 4 !== 8) return null;
  const view = new DataView(bytes.buffer);
  return view.getUint32(0) * 0x10000 + view.getUint16(4);
}
