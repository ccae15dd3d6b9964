/**
 * Reads a request's body into one buffer, up to a limit, and never holds it twice.
 */

/** The body, or why there is none. */
export type BodyResult = { bytes: Uint8Array<ArrayBuffer> } | { rejection: BodyRejection };

export type BodyRejection = { kind: "too-large" } | { kind: "body"; reason: string };

/** What is set aside before anything has come: a declared length alone costs a stranger nothing. */
const FIRST = 65_536;

/**
 * Reads `request`'s body, at most `limit` bytes (a body of exactly `limit` is fine). Reading stops at the first byte
 * too many. An upload that breaks off, or ends before its Content-Length, is a rejection; nothing is thrown for it.
 */
export async function readBody(request: Pick<Request, "headers" | "body">, limit: number): Promise<BodyResult> {
  const { body } = request;
  const declared = declaredLength(request.headers.get("Content-Length"));
  if (declared !== null && declared > limit) {
    await body?.cancel().catch(() => {});
    return { rejection: { kind: "too-large" } };
  }
  if (body === null) return finished(new Uint8Array(0), declared);

  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let buffer = new Uint8Array(Math.min(declared ?? FIRST, FIRST));
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return finished(buffer.subarray(0, length), declared);
      const needed = length + value.length;
      if (needed > limit) {
        // Not awaited: whoever sends too much may also never stop.
        reader.cancel().catch(() => {});
        return { rejection: { kind: "too-large" } };
      }
      if (needed > buffer.length) {
        const size = declared !== null && needed <= declared ? declared : Math.min(2 * needed, limit);
        // `transfer` frees the old buffer at once, without waiting for a garbage collection.
        buffer = new Uint8Array(buffer.buffer.transfer(size));
      }
      buffer.set(value, length);
      length = needed;
    }
  } catch {
    return { rejection: { kind: "body", reason: "the upload broke off" } };
  }
}

function finished(bytes: Uint8Array<ArrayBuffer>, declared: number | null): BodyResult {
  if (declared === null || declared <= bytes.length) return { bytes };
  const reason = `the body ended after ${bytes.length} of ${declared} bytes`;
  return { rejection: { kind: "body", reason } };
}

/** A Content-Length header's number of bytes; null if there is none to go by. */
function declaredLength(header: string | null): number | null {
  return header !== null && /^[0-9]{1,15}$/.test(header) ? Number(header) : null;
}
