/** The client's end of a stream: a WebSocket or an event stream, as whoever writes to it sees both. */
import type { StreamFrame } from "@github-webhook-mcp/shared/stream.ts";

/** Frames that a client has not taken yet may fill so many bytes; then it is cut off, and resumes by its cursor. */
export const MAX_BUFFERED_BYTES = 1_048_576;

/** Why a stream ends. */
export type EndReason =
  /** The token has ended, or allows less than when the stream began. */
  | "access-lost"
  /** Whether the token is still good could not be found out. */
  | "unavailable"
  /** The client does not take what it is sent. */
  | "too-slow";

export interface Outlet {
  /** Hands a frame over; it is dropped once the stream has ended. */
  send(frame: StreamFrame): void;
  /** Bytes that were handed over and that the client's connection has not taken yet. */
  readonly buffered: number;
  end(reason: EndReason): void;
}

/** What an outlet tells of its client. */
export interface OutletEvents {
  /** The client has gone, or was sent away by the outlet itself. */
  onGone(): void;
}

/** The sentence for whoever reads why their stream has ended. */
export const END_MESSAGES: Readonly<Record<EndReason, string>> = {
  "access-lost": "Access has ended or changed: refresh the token, or sign in again.",
  unavailable: "Access could not be checked: connect again, with the last cursor.",
  "too-slow": "Too slow: connect again, with the last cursor.",
};
