/**
 * One connection to `/events`, from the upgrade to its end. It tells its frames and how it ended; whether to come again
 * is for the channel.
 */
import { type EventFrame, HEARTBEAT_MS, PING, readFrame } from "@github-webhook-mcp/shared/stream.ts";
import type { Network, Socket } from "../ports.ts";
import { ClockWatch, TICK_MS } from "./clock-watch.ts";

/** So long without a frame, and the connection is dead, whatever the socket claims: two heartbeats and a half. */
const SILENCE_MS = 2.5 * HEARTBEAT_MS;
/** After a jump of the clock the Worker has so long to show that it is still there. */
const PROOF_MS = 3_000;

export interface ConnectionHandlers {
  /** The stream's beginning. */
  onConnected(cursor: string): void;
  onEvent(frame: EventFrame): void;
  /** The Worker's clock (milliseconds), soon after the beginning: what was received before is no news. */
  onClock(now: number): void;
}

export interface ConnectionEnd {
  code: number;
  /** It was given up here, because nothing was heard. */
  silent: boolean;
}

export interface Connection {
  /** Resolves when it is over. */
  ended: Promise<ConnectionEnd>;
  close(): void;
}

export interface ConnectionOptions {
  network: Network;
  workerUrl: string;
  token: string;
  cursor: string | null;
  handlers: ConnectionHandlers;
  silenceMs?: number;
}

/** @throws NetworkError, with the HTTP status where there was an answer */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { network, workerUrl, token, cursor, handlers, silenceMs = SILENCE_MS } = options;
  const query = cursor === null ? "" : `?${new URLSearchParams({ cursor })}`;
  let finish: (end: ConnectionEnd) => void = () => {};
  const ended = new Promise<ConnectionEnd>((done) => {
    finish = done;
  });
  let silent = false;
  let heard = performance.now();
  const clock = new ClockWatch(Date.now());
  let socket: Socket | null = null;

  const ticker = setInterval(() => {
    const jumped = clock.jumped(Date.now());
    const quiet = performance.now() - heard;
    if (quiet > silenceMs) {
      silent = true;
      socket?.close();
    } else if (jumped) {
      // Whether the clock that was stopped counts sleep differs between systems: ask, and don't wait the silence out.
      heard = Math.min(heard, performance.now() - silenceMs + PROOF_MS);
      socket?.sendText(PING);
    }
  }, TICK_MS);
  ticker.unref();

  try {
    socket = await network.openSocket(
      `${workerUrl}/events${query}`,
      { authorization: `Bearer ${token}` },
      {
        onText: (text) => {
          heard = performance.now();
          const frame = readFrame(text);
          if (frame === null) return;
          if ("event_id" in frame) handlers.onEvent(frame);
          else if ("status" in frame) handlers.onConnected(frame.cursor);
          else handlers.onClock("pong" in frame ? frame.pong : frame.heartbeat);
        },
        onClose: (code) => {
          clearInterval(ticker);
          finish({ code, silent });
        },
      },
    );
  } catch (error) {
    clearInterval(ticker);
    throw error;
  }
  socket.sendText(PING);
  return { ended, close: () => socket?.close() };
}
