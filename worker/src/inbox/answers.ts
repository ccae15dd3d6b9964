/** Answers that tools and REST routes give in the same words. */
import { InboxError } from "./errors.ts";
import type { Unavailable } from "./fan-out.ts";
import type { Completeness, Inbox, InboxStatus } from "./inbox.ts";
import { filterOf, type MarkArguments } from "./request.ts";

/** The members that say that stores gave no answer; none when all did. */
export function partialMembers(unavailable: readonly Unavailable[] | undefined): Record<string, unknown> {
  return unavailable?.length ? { partial: true, unavailable } : {};
}

/** A status in the compatible order of keys; the rest only where there is something to say. */
export function statusBody({
  pending,
  latestReceivedAt,
  types,
  dropped,
  unavailable,
}: Omit<InboxStatus, "cursor">): Record<string, unknown> {
  return {
    pending_count: pending,
    latest_received_at: latestReceivedAt === null ? null : new Date(latestReceivedAt).toISOString(),
    types,
    ...(dropped > 0 && { dropped }),
    ...partialMembers(unavailable),
  };
}

export interface MarkAnswer extends Completeness {
  body: Record<string, unknown>;
  notes: string[];
}

/** Marks what the arguments name: one event, several, or everything up to a cursor. */
export async function markEvents(inbox: Inbox, args: MarkArguments): Promise<MarkAnswer> {
  const { event_id, event_ids, up_to_cursor } = args;
  if ([event_id, event_ids, up_to_cursor].filter((given) => given !== undefined).length !== 1) {
    throw new InboxError("invalid", "Give exactly one of event_id, event_ids and up_to_cursor.");
  }
  if (event_id !== undefined) {
    const { purged } = await inbox.mark([event_id]);
    return { body: { success: true, event_id, purged }, notes: [] };
  }
  if (event_ids !== undefined) {
    return { body: { success: true, event_ids, ...(await inbox.mark(event_ids)) }, notes: [] };
  }
  const { unavailable, changed, ...done } = await inbox.markUpTo(up_to_cursor!, filterOf(args));
  const notes = changed.map(
    (login) =>
      `Nothing was marked in ${login}: your access there has changed since this cursor. List again for a new one.`,
  );
  return { body: { success: true, up_to_cursor, ...done }, notes, unavailable };
}
