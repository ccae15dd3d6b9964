/** The inbox as resources: the pending events, and each event by its id. */
import {
  type McpServer,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { READ_SCOPE } from "../grants/bearer.ts";
import { InboxError } from "../inbox/errors.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { needsScope } from "./scope.ts";
import { viewEvent } from "./tools/event-view.ts";
import { remarkMembers, UNTRUSTED } from "./tools/tool.ts";

/** The resource that changes whenever an event arrives. */
export const EVENTS_URI = "github-webhook://events";
const EVENT_TEMPLATE = "github-webhook://event/{id}";
const PAGE = 20;
const JSON_TYPE = "application/json";

export function registerResources(server: McpServer, inbox: Inbox, publicUrl: string): void {
  const scopeChallenge = needsScope(READ_SCOPE);
  server.registerResource(
    "pending-events",
    EVENTS_URI,
    {
      title: "Pending GitHub events",
      description: "Summaries of the newest 20 pending events; updated when an event arrives.",
      mimeType: JSON_TYPE,
      scopeChallenge,
    },
    async (uri) => {
      const { events, ...remarks } = await inbox.list({ order: "newest", limit: PAGE, filter: {} });
      const notes = events.length > 0 ? [UNTRUSTED] : [];
      return json(uri, { events, ...remarkMembers({ ...remarks, notes }) });
    },
  );
  server.registerResource(
    "event",
    new ResourceTemplate(EVENT_TEMPLATE, { list: undefined }),
    {
      title: "One GitHub event, whole",
      description: "An event with its payload, by id.",
      mimeType: JSON_TYPE,
      scopeChallenge,
    },
    async (uri, { id }) => {
      try {
        const { event, notes } = await viewEvent(await inbox.event(String(id)), { publicUrl });
        return json(uri, { ...event, notes: [...notes, UNTRUSTED] });
      } catch (error) {
        if (error instanceof InboxError && error.code === "not_found") throw new ResourceNotFoundError(uri.href);
        throw error;
      }
    },
  );
}

function json(uri: URL, value: unknown): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(value, null, 2) }] };
}
