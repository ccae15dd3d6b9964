/** What a store's rows look like to a reader. */
import { encodeCursor, type StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventSummary, PayloadSummary, WebhookEvent } from "@github-webhook-mcp/shared/events.ts";
import type { EventRow } from "../ports.ts";

/** A row with where it stands: its account, and the position right after it. */
export interface Placed<Row extends EventRow = EventRow> {
  accountId: number;
  row: Row;
  position: StorePosition;
}

/** The cursor right after an event. */
export function eventCursor({ accountId, row, position }: Placed): string {
  return encodeCursor({ kind: "event", accountId, receivedAt: row.receivedAt, position });
}

/** The fifteen compatible fields in their order, then what says something, then the cursor. */
export function toSummary(placed: Placed): EventSummary {
  const { row } = placed;
  const { author_association, sender_type, ...own } = JSON.parse(row.summary) as PayloadSummary;
  return {
    ...eventHead(row),
    processed: row.processed,
    trigger_status: null,
    last_triggered_at: null,
    action: own.action,
    repo: own.repo,
    sender: own.sender,
    number: own.number,
    title: own.title,
    url: own.url,
    head_branch: own.head_branch,
    head_sha: own.head_sha,
    conclusion: own.conclusion,
    ...(author_association && { author_association }),
    ...(sender_type && { sender_type }),
    ...(row.deliveryId && row.deliveryId !== row.id && { delivery_id: row.deliveryId }),
    cursor: eventCursor(placed),
  };
}

/** The whole event, in the compatible order of fields. */
export function toEvent(row: EventRow, payload: unknown): WebhookEvent {
  const { id, type, received_at } = eventHead(row);
  return {
    id,
    type,
    payload,
    received_at,
    processed: row.processed,
    trigger_status: null,
    last_triggered_at: null,
  };
}

function eventHead(row: EventRow): { id: string; type: string; received_at: string } {
  return { id: row.id, type: row.type, received_at: new Date(row.receivedAt).toISOString() };
}
