import { z } from "zod";
import { READ_SCOPE } from "../../grants/bearer.ts";
import { eventIdSchema } from "../../inbox/request.ts";
import { eventSchema, viewEvent } from "./event-view.ts";
import { defineTool, READ_ONLY, remarksShape, UNTRUSTED } from "./tool.ts";

export const getEvent = defineTool({
  name: "get_event",
  title: "One GitHub event, whole",
  description:
    "One event with its whole webhook payload. Above 400,000 characters the largest parts are replaced by their sizes, and path (a JSON pointer into the payload, e.g. /commits/0) fetches one of them.",
  scope: READ_SCOPE,
  inputSchema: z.object({
    event_id: eventIdSchema,
    path: z
      .string()
      .refine((path) => path.length <= 4_096, "path is too long")
      .optional(),
  }),
  outputSchema: eventSchema.extend({ notes: remarksShape.notes }),
  annotations: READ_ONLY,
  // Claude Code cuts a tool's output at 25,000 tokens unless the tool says that it may be longer.
  meta: { "anthropic/maxResultSizeChars": 500_000 },
  async run({ event_id, path }, { inbox, publicUrl }) {
    const { event, notes } = await viewEvent(await inbox.event(event_id), { path, publicUrl });
    return { text: event, indent: 2, structured: event, remarks: { notes: [...notes, UNTRUSTED] } };
  },
});
