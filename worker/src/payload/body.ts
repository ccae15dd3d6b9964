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

  const reader = byteReader(body);
  // One byte more than is expected, to see what comes behind it.
  let buffer = new ArrayBuffer(Math.min(declared ?? FIRST, FIRST) + 1);
  let length = 0;
  try {
    for (;;) {
      // A read moves the memory into a new ArrayBuffer, and leaves the old one detached.
      const { done, value } = await reader.read(new Uint8Array(buffer, length));
      if (value === undefined) return brokeOff();
      buffer = value.buffer as ArrayBuffer;
      if (done) return finished(new Uint8Array(buffer, 0, length), declared);
      length += value.length;
      if (length > limit) {
        // Not awaited: whoever sends too much may also never stop.
        reader.cancel().catch(() => {});
        return { rejection: { kind: "too-large" } };
      }
      if (length === buffer.byteLength) {
        const expected = declared !== null && length <= declared ? declared : Math.min(2 * length, limit);
        buffer = buffer.transfer(expected + 1);
      }
    }
  } catch {
    return brokeOff();
  }
}

/** Reads straight into our buffer: pieces of the runtime's own would pile up beside it until a garbage collection. */
function byteReader(body: ReadableStream): ReadableStreamBYOBReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    // Made in JavaScript, and no byte stream: not what comes from the network.
    const { readable, writable } = new IdentityTransformStream();
    body.pipeTo(writable).catch(() => {}); // what goes wrong shows on the readable side
    return readable.getReader({ mode: "byob" });
  }
}

function brokeOff(): BodyResult {
  return { rejection: { kind: "body", reason: "the upload broke off" } };
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
