import { z } from "zod";
import { READ_SCOPE } from "../../grants/bearer.ts";
import { statusBody } from "../../inbox/answers.ts";
import { defineTool, READ_ONLY, remarksShape } from "./tool.ts";

export const getPendingStatus = defineTool({
  name: "get_pending_status",
  title: "Pending GitHub events: counts",
  description:
    "How many GitHub webhook events are pending, by type, and when the newest came. Cheap: poll this every 60 seconds, and call list_pending_events when pending_count is above 0.",
  scope: READ_SCOPE,
  inputSchema: z.object({}),
  outputSchema: z.object({
    pending_count: z.number(),
    latest_received_at: z.string().nullable(),
    types: z.record(z.string(), z.number()),
    dropped: z.number().optional().describe("Unread events lost to the volume cap within 7 days"),
    partial: remarksShape.partial,
    unavailable: remarksShape.unavailable,
    cursor: z.string().describe("For wait_for_events or mark_processed"),
  }),
  annotations: READ_ONLY,
  async run(_, { inbox }) {
    const { cursor, ...status } = await inbox.status();
    const text = statusBody(status);
    return { text, indent: 2, structured: { ...text, cursor } };
  },
});
