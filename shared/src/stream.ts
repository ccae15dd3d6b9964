/**
 * What `GET /events` says and understands, for both of its ends: the frames, the codes with which it closes a
 * WebSocket, and its times.
 *
 * A WebSocket carries each frame as the JSON text of a message. An event stream (SSE) carries connected and event frames
 * as `data`, their cursor as `id`; its heartbeats are comments.
 */
import * as z from "zod";

/** A heartbeat comes this often: a client that hears nothing for clearly longer has lost its connection. */
export const HEARTBEAT_MS = 30_000;

/** A client's text message that is answered with a {@link PongFrame}. */
export const PING = "ping";

/** Close codes of the WebSocket: 4000–4999 are an application's own (RFC 6455 §7.4.2), the others are IANA's. */
export const CloseCode = {
  /** The token has ended, or no longer allows what it did: refresh it, or sign in again. */
  accessLost: 4401,
  /** The client did not take what was sent, or the Worker can't say whether it may: come again, with the cursor. */
  tryAgain: 1013,
  /** The client said too much. */
  misbehaved: 1008,
  /** The client said something too long. */
  tooBig: 1009,
} as const;

/** The first frame. `stores`: accounts whose events are followed. `cursor`: where the stream begins. */
const connected = z.object({ status: z.literal("connected"), stores: z.int(), cursor: z.string() });

/** An EventSummary; members that a later Worker adds pass through. */
const summary = z.looseObject({
  id: z.string(),
  type: z.string(),
  received_at: z.string(),
  processed: z.boolean(),
  trigger_status: z.string().nullable(),
  last_triggered_at: z.string().nullable(),
  action: z.string().nullable(),
  repo: z.string().nullable(),
  sender: z.string().nullable(),
  number: z.number().nullable(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  head_branch: z.string().nullable(),
  head_sha: z.string().nullable(),
  conclusion: z.string().nullable(),
  author_association: z.string().optional(),
  sender_type: z.string().optional(),
  delivery_id: z.string().optional(),
  cursor: z.string(),
});

/** One event. `cursor` resumes the stream exactly behind it; the summary's own cursor is for lists and marks. */
const event = z.object({ event_id: z.string(), type: z.string(), summary, cursor: z.string() });

/** Milliseconds since the epoch, by the Worker's clock. */
const heartbeat = z.object({ heartbeat: z.number() });
const pong = z.object({ pong: z.number() });

const frame = z.union([event, connected, heartbeat, pong]);

export type ConnectedFrame = z.output<typeof connected>;
export type EventFrame = z.output<typeof event>;
export type HeartbeatFrame = z.output<typeof heartbeat>;
export type PongFrame = z.output<typeof pong>;
export type StreamFrame = z.output<typeof frame>;

/** The data of SSE's `event: error`, after which the stream ends. */
export interface StreamError {
  error: "access_lost" | "unavailable";
  message: string;
}

/** A frame out of a message's text; null for anything else. Never throws. */
export function readFrame(text: string): StreamFrame | null {
  try {
    return frame.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
