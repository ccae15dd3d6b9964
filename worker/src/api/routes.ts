/**
 * The REST routes, for scripts and the inbox page: the tools' JSON, unwrapped, and the whole of an event whatever its
 * size.
 *
 * A list's body is the array alone; what stands beside it goes into headers (`X-Next-Cursor`, `X-Partial`). A list
 * that is empty while a store gave no answer is 503: an empty array must mean that there is nothing.
 */
import { type Context, Hono } from "hono";
import { READ_SCOPE, WRITE_SCOPE } from "../grants/bearer.ts";
import { markEvents, statusBody } from "../inbox/answers.ts";
import { refuseSilence, type Unavailable } from "../inbox/fan-out.ts";
import { Inbox } from "../inbox/inbox.ts";
import { filterOf, markSchema } from "../inbox/request.ts";
import type { McpCaller, StoresPort } from "../ports.ts";
import { ApiError, errorResponse } from "./errors.ts";
import { eventJson, eventStream } from "./event-json.ts";
import { eventQuery, listQuery, readJson, readQuery, withPayloadsQuery } from "./query.ts";

/** What the app has put into the context: who is calling. */
export interface ApiEnv {
  Variables: { caller: McpCaller };
}

/** Bytes of raw payload in one answer of `/webhook-events`; a larger event comes alone. */
const PAYLOAD_BUDGET = 4_000_000;

const JSON_TYPE = { "Content-Type": "application/json" };

/** To be mounted at `/api`, behind the bearer check. */
export function apiRoutes({ stores }: { stores: StoresPort }): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const inboxOf = (context: Context<ApiEnv>, scope: string) => {
    const { viewer, scopes } = context.var.caller;
    if (!scopes.includes(scope)) throw new ApiError(403, "insufficient_scope", `This needs the scope ${scope}.`);
    return new Inbox({ stores, viewer });
  };

  app.onError(errorResponse);
  app.use(async (context, next) => {
    await next();
    context.header("Cache-Control", "no-store");
  });

  app.get("/pending-status", async (context) => {
    const { cursor, ...status } = await inboxOf(context, READ_SCOPE).status();
    context.header("X-Next-Cursor", cursor);
    return context.json(statusBody(status));
  });

  app.get("/pending-events", async (context) => {
    const inbox = inboxOf(context, READ_SCOPE);
    const { limit, order, cursor, ...filters } = readQuery(listQuery, context.req.url);
    const { events, ...page } = await inbox.list({ limit, order, cursor, filter: filterOf(filters) });
    announce(context, events, page);
    return context.json(events);
  });

  app.get("/webhook-events", async (context) => {
    const inbox = inboxOf(context, READ_SCOPE);
    const { limit, cursor, ...filters } = readQuery(withPayloadsQuery, context.req.url);
    const { events, ...page } = await inbox.withPayloads({ limit, cursor, filter: filterOf(filters) }, PAYLOAD_BUDGET);
    announce(context, events, page);
    const texts = await Promise.all(events.map(({ row }) => eventJson(row)));
    return context.body(`[${texts.join()}]`, 200, JSON_TYPE);
  });

  app.get("/event", async (context) => {
    const inbox = inboxOf(context, READ_SCOPE);
    const { id } = readQuery(eventQuery, context.req.url);
    return context.body(eventStream(await inbox.event(id)), 200, JSON_TYPE);
  });

  app.post("/mark-processed", async (context) => {
    const inbox = inboxOf(context, WRITE_SCOPE);
    const { body, unavailable, notes } = await markEvents(inbox, await readJson(markSchema, context.req.raw));
    announce(context, [body], { unavailable });
    return context.json({ ...body, ...(notes.length > 0 && { notes }) });
  });

  for (const path of ["/pending-status", "/pending-events", "/webhook-events", "/event"]) {
    app.all(path, () => refuseMethod("GET, HEAD"));
  }
  app.all("/mark-processed", () => refuseMethod("POST"));
  // Hono asks the outermost app's notFound only.
  app.all("*", () => errorResponse(new ApiError(404, "not_found", "There is no such route.")));
  return app;
}

/** Says in headers what an array can't. */
function announce(
  context: Context,
  items: readonly unknown[],
  { nextCursor, unavailable = [] }: { nextCursor?: string; unavailable?: readonly Unavailable[] },
): void {
  if (items.length === 0) refuseSilence(unavailable);
  if (nextCursor !== undefined) context.header("X-Next-Cursor", nextCursor);
  if (unavailable.length > 0) {
    context.header(
      "X-Partial",
      unavailable.map(({ account_id, login }) => `${login} (account ${account_id})`).join(", "),
    );
  }
}

function refuseMethod(allowed: string): never {
  throw new ApiError(405, "method_not_allowed", `This route takes ${allowed}.`, { Allow: allowed });
}
