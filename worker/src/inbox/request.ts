/** What a reader may ask for, as zod shapes: tools take them as arguments, REST routes as query parameters. */
import { MAX_CURSOR_LENGTH } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import { z } from "zod";

const LIMIT_ERROR = "limit must be a whole number from 1 to 100";

export const limitSchema = z.int(LIMIT_ERROR).min(1, LIMIT_ERROR).max(100, LIMIT_ERROR).default(20);

export const cursorSchema = z
  .string()
  .refine((text) => text.length <= MAX_CURSOR_LENGTH, "cursor is too long: pass one from an earlier answer unchanged");

export const orderSchema = z.enum(["newest", "oldest"], 'order must be "newest" or "oldest"').default("newest");

export const eventIdSchema = z
  .string()
  .refine((id) => id.length > 0 && id.length <= 200, "event_id must be an event's id");

const typesSchema = z
  .array(z.string())
  .refine((types) => types.length > 0 && types.length <= 100, "types must name 1 to 100 event types")
  .refine((types) => types.every((type) => /^\w{1,64}$/.test(type)), "types are names such as issues or workflow_run");

const repoSchema = z
  .string()
  .refine((repo) => /^[^/\s]{1,100}\/[^/\s]{1,100}$/.test(repo), 'repo must be "owner/name"');

const senderSchema = z
  .string()
  .refine((login) => login.length > 0 && login.length <= 100, "sender must be a GitHub login");

/** Restricts which events a read is about; everything is optional. */
export const filterShape = {
  types: typesSchema.optional().describe("Event types, e.g. issues, workflow_run"),
  repo: repoSchema.optional().describe("owner/name"),
  sender: senderSchema.optional().describe("GitHub login"),
  exclude_bots: z.boolean().optional(),
  include_processed: z.boolean().optional(),
};

export type FilterArguments = z.output<z.ZodObject<typeof filterShape>>;

const IDS_ERROR = "event_ids must hold 1 to 100 ids";
const { include_processed: _, ...pendingFilters } = filterShape;

/** What a mark takes: exactly one of the first three, see markEvents. */
export const markSchema = z.object({
  event_id: eventIdSchema.optional(),
  event_ids: z
    .array(eventIdSchema)
    .refine((ids) => ids.length > 0 && ids.length <= 100, IDS_ERROR)
    .optional(),
  up_to_cursor: cursorSchema.optional(),
  ...pendingFilters,
});

export type MarkArguments = z.output<typeof markSchema>;

/** The filter among a call's arguments. */
export function filterOf({
  types,
  repo,
  sender,
  exclude_bots,
  include_processed,
}: Partial<FilterArguments>): EventFilter {
  return {
    ...(types && { types }),
    ...(repo !== undefined && { repo }),
    ...(sender !== undefined && { sender }),
    ...(exclude_bots && { exclude_bots }),
    ...(include_processed && { include_processed }),
  };
}
