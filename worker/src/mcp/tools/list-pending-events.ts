import { z } from "zod";
import { READ_SCOPE } from "../../grants/bearer.ts";
import { cursorSchema, filterOf, filterShape, limitSchema, orderSchema } from "../../inbox/request.ts";
import { summariesAnswer, summariesSchema } from "./summaries.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

export const listPendingEvents = defineTool({
  name: "list_pending_events",
  title: "Pending GitHub events: summaries",
  description:
    "Summaries of pending GitHub webhook events, without payloads: type, action, repository, sender, number, title, url, branch, commit, conclusion. next_cursor, where given, goes back in as cursor for the next page.",
  scope: READ_SCOPE,
  inputSchema: z.object({
    limit: limitSchema,
    cursor: cursorSchema.optional(),
    order: orderSchema,
    ...filterShape,
  }),
  outputSchema: summariesSchema,
  annotations: READ_ONLY,
  async run({ limit, cursor, order, ...filters }, { inbox }) {
    const page = await inbox.list({ limit, cursor, order, filter: filterOf(filters) });
    return summariesAnswer(page.events, page);
  },
});
