/** The tools, in the order in which clients show them. */
import { getEvent } from "./get-event.ts";
import { getPendingStatus } from "./get-pending-status.ts";
import { getWebhookEvents } from "./get-webhook-events.ts";
import { listPendingEvents } from "./list-pending-events.ts";
import { markProcessed } from "./mark-processed.ts";
import { searchEvents } from "./search-events.ts";
import type { Tool } from "./tool.ts";
import { waitForEventsTool } from "./wait-for-events.ts";

export const tools: readonly Tool[] = [
  getPendingStatus,
  listPendingEvents,
  getEvent,
  getWebhookEvents,
  markProcessed,
  searchEvents,
  waitForEventsTool,
];
