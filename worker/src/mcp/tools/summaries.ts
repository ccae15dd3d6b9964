/** What the tools that list summaries have in common. */
import type { EventSummary } from "@github-webhook-mcp/shared/events.ts";
import { z } from "zod";
import { type Remarks, remarksShape, type ToolAnswer, UNTRUSTED } from "./tool.ts";

/** The rest of a summary's fields is named in the descriptions: an agent pays for every byte of a schema. */
const summarySchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  received_at: z.string(),
  repo: z.string().nullable(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  cursor: z.string(),
});

export const summariesSchema = z.object({ events: z.array(summarySchema), ...remarksShape });

/** An array of summaries as text, the same under `events` as structured content. */
export function summariesAnswer(events: readonly EventSummary[], remarks: Remarks): ToolAnswer {
  const notes = [...(remarks.notes ?? []), ...(events.length > 0 ? [UNTRUSTED] : [])];
  return { text: events, indent: 2, structured: { events }, remarks: { ...remarks, notes } };
}
