/** A whole event as a tool or a resource shows it: the payload up to a budget, and what to say about what was cut. */
import { z } from "zod";
import { viewPayload } from "../../inbox/payload-view.ts";
import { toEvent } from "../../inbox/summary.ts";
import type { EventWithPayload } from "../../ports.ts";

/** Most characters of a whole event's text, or of several events together. */
export const TEXT_BUDGET = 400_000;
/** What stands around the payload in an event's text. */
const FRAME = 600;
/** How many of the parts that were cut a note names. */
const NAMED_PARTS = 5;

export const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  path: z.string().optional(),
  payload: z.unknown(),
  received_at: z.string(),
  processed: z.boolean(),
  truncated: z.boolean().optional(),
});

export interface EventView {
  event: Record<string, unknown>;
  notes: string[];
}

/** @throws InboxError `invalid` for a path that leads nowhere. */
export async function viewEvent(
  row: EventWithPayload,
  { path, budget = TEXT_BUDGET, publicUrl }: { path?: string; budget?: number; publicUrl: string },
): Promise<EventView> {
  const { value, truncated, parts } = await viewPayload(row.payload, { path, budget: budget - FRAME });
  const event = { ...toEvent(row, value), ...(path && { path }), ...(truncated && { truncated }) };
  if (!truncated) return { event, notes: [] };
  const named = parts.slice(0, NAMED_PARTS).map(({ pointer }) => pointer);
  const largest = named.length > 0 ? ` The largest: ${named.join(", ")}.` : "";
  const whole = `${publicUrl}/api/event?id=${encodeURIComponent(row.id)}`;
  return {
    event,
    notes: [
      `Parts of the payload of ${row.id} are replaced by their sizes.${largest} Call get_event with path (a JSON pointer) for one of them; GET ${whole} gives the whole.`,
    ],
  };
}
