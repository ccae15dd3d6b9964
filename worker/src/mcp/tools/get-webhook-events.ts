import { z } from "zod";
import { READ_SCOPE } from "../../grants/bearer.ts";
import { cursorSchema, filterOf, filterShape, limitSchema } from "../../inbox/request.ts";
import { eventCursor } from "../../inbox/summary.ts";
import { eventSchema, TEXT_BUDGET, viewEvent } from "./event-view.ts";
import { defineTool, READ_ONLY, remarksShape, UNTRUSTED } from "./tool.ts";

/** Indentation and separators that the array puts around an event's own text. */
const ITEM_FRAME = 8;

export const getWebhookEvents = defineTool({
  name: "get_webhook_events",
  title: "Pending GitHub events with payloads",
  description:
    "Pending events with their whole payloads, newest first, 400,000 characters in all; next_cursor, where given, goes back in as cursor. Long: prefer list_pending_events, then get_event for those that matter.",
  scope: READ_SCOPE,
  inputSchema: z.object({ limit: limitSchema, cursor: cursorSchema.optional(), ...filterShape }),
  outputSchema: z.object({ events: z.array(eventSchema), ...remarksShape }),
  annotations: READ_ONLY,
  meta: { "anthropic/maxResultSizeChars": 500_000 },
  async run({ limit, cursor, ...filters }, { inbox, publicUrl }) {
    const page = await inbox.withPayloads({ limit, cursor, filter: filterOf(filters) }, TEXT_BUDGET);
    const events: Record<string, unknown>[] = [];
    const notes: string[] = [];
    let { nextCursor } = page;
    let left = TEXT_BUDGET;
    for (const [i, placed] of page.events.entries()) {
      const view = await viewEvent(placed.row, { budget: TEXT_BUDGET, publicUrl });
      const length = indentedLength(view.event);
      if (length > left && i > 0) {
        nextCursor = eventCursor(page.events[i - 1]!);
        break;
      }
      left -= length;
      events.push(view.event);
      notes.push(...view.notes);
    }
    if (nextCursor !== undefined) notes.push("More events: call again with next_cursor as cursor.");
    if (events.length > 0) notes.push(UNTRUSTED);
    const { unavailable } = page;
    return { text: events, indent: 2, structured: { events }, remarks: { nextCursor, unavailable, notes } };
  },
});

/** Characters that an event takes as an item of an array indented by 2. */
function indentedLength(event: Record<string, unknown>): number {
  const text = JSON.stringify(event, null, 2);
  const lines = text.split("\n").length;
  return text.length + 2 * lines + ITEM_FRAME;
}
