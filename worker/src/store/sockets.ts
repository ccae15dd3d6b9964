/**
 * The live feed of a store: hibernatable WebSockets to whoever listens for a viewer (the Worker's streams, an agent
 * with waiting tools or subscriptions). All that a socket must remember is in its attachment, so that an idle store
 * sleeps and still knows its listeners when the next event wakes it.
 *
 * A listener says who it listens for (LiveHello) and is told from which seq on it hears everything; what came before
 * it reads with `since`. A frame is a hint: the event was stored and committed before it was sent.
 */
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import { z } from "zod";
import { type EventRow, LIVE_PING, LIVE_PONG, type LiveFrame, type LiveHello } from "../ports.ts";
import type { AccessSets } from "./access.ts";
import { type LogRow, toEventRow } from "./event-log.ts";
import { rowFilter } from "./reader.ts";

/** What a socket remembers; Cloudflare keeps up to 16 KB of it, so the repositories stand in `access`, by version. */
interface Attachment {
  version: string;
  filter: EventFilter;
}

const hello = z.object({
  viewer: z.object({
    userId: z.int(),
    repositories: z.union([z.literal("all"), z.array(z.int())]),
    version: z.string(),
  }),
  filter: z.object({
    types: z.array(z.string().max(64)).max(100).optional(),
    repo: z.string().max(200).optional(),
    sender: z.string().max(100).optional(),
    exclude_bots: z.boolean().optional(),
    include_processed: z.boolean().optional(),
  }),
});

export class LiveSockets {
  readonly #ctx: DurableObjectState;
  readonly #access: AccessSets;

  constructor(ctx: DurableObjectState, access: AccessSets) {
    this.#ctx = ctx;
    this.#access = access;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(LIVE_PING, LIVE_PONG));
  }

  /** Accepts a listener's upgrade. It hears nothing before it has said hello. */
  accept(): Response {
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.#ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** A hello, the first or one that changes what is listened for. `head` = seq of the newest event. */
  message(socket: WebSocket, text: string | ArrayBuffer, head: number, now: number): void {
    const said = typeof text === "string" ? readHello(text) : null;
    if (!said) {
      socket.close(1008, "expected a hello");
      return;
    }
    this.#access.remember(said.viewer, now);
    socket.serializeAttachment({ version: said.viewer.version, filter: said.filter } satisfies Attachment);
    send(socket, { ready: head });
  }

  /** Sends new events to those who may see them and want them. */
  broadcast(events: readonly LogRow[], repositoryNames: readonly (string | null)[]): void {
    const texts: string[] = [];
    for (const socket of this.#ctx.getWebSockets()) {
      const attachment = socket.deserializeAttachment() as Attachment | null;
      if (!attachment) continue;
      const access = this.#access.ofVersion(attachment.version);
      const matches = rowFilter(attachment.filter);
      const repo = attachment.filter.repo?.toLowerCase();
      for (const [i, event] of events.entries()) {
        const isNamed = repo === undefined || repositoryNames[i]?.toLowerCase() === repo;
        if (!isNamed || !access.sees(event.repo) || !matches(event)) continue;
        // Written once, however many listen.
        texts[i] ??= JSON.stringify({ event: liveRow(event) } satisfies LiveFrame);
        sendText(socket, texts[i]);
      }
    }
  }
}

/** A new event is processed by nobody. */
function liveRow(event: LogRow): EventRow {
  return toEventRow(event, false);
}

function send(socket: WebSocket, frame: LiveFrame): void {
  sendText(socket, JSON.stringify(frame));
}

function sendText(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The listener has gone; it resumes from its cursor, and the runtime reports the close.
  }
}

function readHello(text: string): LiveHello | null {
  try {
    return hello.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
