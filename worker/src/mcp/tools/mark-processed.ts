import { z } from "zod";
import { WRITE_SCOPE } from "../../grants/bearer.ts";
import { markEvents } from "../../inbox/answers.ts";
import { markSchema } from "../../inbox/request.ts";
import { defineTool, remarksShape } from "./tool.ts";

export const markProcessed = defineTool({
  name: "mark_processed",
  title: "Mark GitHub events as processed",
  description:
    "Marks events as done, for you alone; they leave the pending lists and are deleted later. Give exactly one of event_id, event_ids (up to 100) or up_to_cursor (every pending event at or before that cursor; the filters apply to this only).",
  scope: WRITE_SCOPE,
  inputSchema: markSchema,
  outputSchema: z.object({
    success: z.boolean(),
    event_id: z.string().optional(),
    event_ids: z.array(z.string()).optional(),
    up_to_cursor: z.string().optional(),
    marked: z.number().optional(),
    purged: z.number(),
    partial: remarksShape.partial,
    unavailable: remarksShape.unavailable,
    notes: remarksShape.notes,
  }),
  annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: false },
  async run(args, { inbox }) {
    const { body, ...remarks } = await markEvents(inbox, args);
    return { text: body, indent: 0, structured: body, remarks };
  },
});
