/** What a client asks a stream for. */
import type { Cursor } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import { z } from "zod";
import { readCursor } from "../inbox/positions.ts";
import { cursorSchema, filterOf, filterShape } from "../inbox/request.ts";

export interface StreamQuery {
  filter: EventFilter;
  /** Where to go on, and the text that said so; null = from now. */
  resume: { cursor: Cursor; text: string } | null;
}

const query = z.object({
  cursor: cursorSchema.optional(),
  types: z.preprocess((value) => (typeof value === "string" ? value.split(",") : value), filterShape.types),
  repo: filterShape.repo,
});

/**
 * Reads the query parameters.
 * @param lastEventId what an EventSource that reconnects sends: it repeats its address, the old cursor in it included.
 * @returns what is asked for, or a sentence that says what is wrong
 * @throws InboxError `invalid` for a cursor that can't be read
 */
export function readStreamQuery(url: string, lastEventId: string | null): StreamQuery | { problem: string } {
  const values: Record<string, string> = {};
  for (const [name, value] of new URL(url).searchParams) {
    if (Object.hasOwn(values, name)) return { problem: `${name} is given twice.` };
    values[name] = value;
  }
  if (lastEventId) values.cursor = lastEventId;
  const parsed = query.safeParse(values);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    const name = path.join(".");
    return { problem: `${message.startsWith(name) ? message : `${name}: ${message}`}.` };
  }
  const { cursor: text, ...filters } = parsed.data;
  const cursor = readCursor(text || undefined);
  return { filter: filterOf(filters), resume: cursor && text ? { cursor, text } : null };
}
