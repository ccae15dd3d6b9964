import { describe, expect, it } from "vitest";
import { readBody } from "./body.ts";

const LIMIT = 200_000;

/** A request whose body comes in these pieces; the last may be an error. */
function uploadOf(type: "bytes" | undefined, pieces: (number | Error)[], headers: Record<string, string> = {}) {
  let next = 0;
  let cancelled = false;
  const source = {
    pull(controller: ReadableStreamDefaultController | ReadableByteStreamController) {
      const piece = pieces[next++];
      if (piece === undefined) controller.close();
      else if (typeof piece === "number") controller.enqueue(new Uint8Array(piece).fill(next));
      else controller.error(piece);
    },
    cancel() {
      cancelled = true;
    },
  };
  const body = type === "bytes" ? new ReadableStream({ ...source, type }) : new ReadableStream<Uint8Array>(source);
  const request = { body, headers: new Headers(headers) };
  return { request, pulled: () => next, cancelled: () => cancelled };
}

/** Byte streams are what the network gives; the other kind is made in JavaScript. */
describe.each(["bytes", undefined] as const)("readBody, from a stream of type %s", (type) => {
  const upload = (pieces: (number | Error)[], headers?: Record<string, string>) => uploadOf(type, pieces, headers);
  const read = async (pieces: (number | Error)[], headers?: Record<string, string>) => {
    const result = await readBody(upload(pieces, headers).request, LIMIT);
    return "bytes" in result ? result.bytes : result.rejection;
  };

  it("puts the pieces together, with and without a declared length", async () => {
    const expected = new Uint8Array(170_000).fill(1, 0, 60_000).fill(2, 60_000, 160_000).fill(3, 160_000);
    expect(await read([60_000, 100_000, 10_000], { "Content-Length": "170000" })).toEqual(expected);
    expect(await read([60_000, 100_000, 10_000])).toEqual(expected);
    expect(await read([60_000, 100_000, 10_000], { "Content-Length": "nonsense" })).toEqual(expected);
    expect(await read([7], { "Content-Length": "7" })).toEqual(new Uint8Array(7).fill(1));
    expect(await read([])).toEqual(new Uint8Array(0));
  });

  it("reads a real request's body, and one without", async () => {
    const request = new Request("https://example.com", { method: "POST", body: "x".repeat(100_000) });
    const result = await readBody(request, LIMIT);
    expect("bytes" in result && new TextDecoder().decode(result.bytes)).toBe("x".repeat(100_000));
    expect(await readBody(new Request("https://example.com", { method: "POST" }), LIMIT)).toEqual({
      bytes: new Uint8Array(0),
    });
  });

  it("takes a body of exactly the limit, and none with one byte more", async () => {
    expect(await read([LIMIT], { "Content-Length": `${LIMIT}` })).toHaveLength(LIMIT);
    expect(await read([LIMIT - 1, 1])).toHaveLength(LIMIT);
    expect(await read([LIMIT, 1])).toEqual({ kind: "too-large" });
    expect(await read([LIMIT + 1])).toEqual({ kind: "too-large" });
  });

  it("does not read what is declared too large", async () => {
    const { request, cancelled } = upload([1], { "Content-Length": `${LIMIT + 1}` });
    expect(await readBody(request, LIMIT)).toEqual({ rejection: { kind: "too-large" } });
    expect(cancelled()).toBe(true);
  });

  it("stops at the first piece too many, though more would come", async () => {
    const endless = upload(Array(1_000).fill(50_000));
    expect(await readBody(endless.request, LIMIT)).toEqual({ rejection: { kind: "too-large" } });
    expect(endless.pulled()).toBeLessThan(8);
    await scheduler.wait(1);
    expect(endless.cancelled()).toBe(true);
  });

  it("tells an upload that broke off, or ended early, from a whole one", async () => {
    expect(await read([10, new Error("Network connection lost.")])).toEqual({
      kind: "body",
      reason: "the upload broke off",
    });
    expect(await read([10, 20], { "Content-Length": "31" })).toEqual({
      kind: "body",
      reason: "the body ended after 30 of 31 bytes",
    });
    expect(await readBody({ body: null, headers: new Headers({ "Content-Length": "5" }) }, LIMIT)).toEqual({
      rejection: { kind: "body", reason: "the body ended after 0 of 5 bytes" },
    });
  });
});
