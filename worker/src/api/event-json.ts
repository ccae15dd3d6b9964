/**
 * Whole events as JSON text, with the payload's own text spliced in: it is never parsed, so that neither its size nor
 * its depth matters, and every number in it stays as GitHub wrote it.
 */
import { toEvent } from "../inbox/summary.ts";
import { unpack, unpackStream } from "../payload/codec.ts";
import type { EventWithPayload } from "../ports.ts";

/** What stands before the payload's text, and behind it. */
function frame(event: EventWithPayload): { head: string; tail: string } {
  const { id, type, payload: _, ...rest } = toEvent(event, null);
  const head = JSON.stringify({ id, type });
  return { head: `${head.slice(0, -1)},"payload":`, tail: `,${JSON.stringify(rest).slice(1)}` };
}

/** One event's JSON, for payloads that fit into memory several at a time. */
export async function eventJson(event: EventWithPayload): Promise<string> {
  const { head, tail } = frame(event);
  return `${head}${new TextDecoder().decode(await unpack(event.payload))}${tail}`;
}

/** One event's JSON, piece by piece as its reader takes it. */
export function eventStream(event: EventWithPayload): ReadableStream<Uint8Array> {
  const { head, tail } = frame(event);
  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    flush: (controller) => controller.enqueue(encoder.encode(tail)),
  });
  // A reader that goes away ends the unpacking; there is nobody left to tell.
  unpackStream(event.payload)
    .pipeTo(writable)
    .catch(() => {});
  return readable;
}
