import { z } from "zod";
import { READ_SCOPE } from "../../grants/bearer.ts";
import { filterOf, filterShape, limitSchema } from "../../inbox/request.ts";
import { summariesAnswer, summariesSchema } from "./summaries.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

export const searchEvents = defineTool({
  name: "search_events",
  title: "Search GitHub events",
  description:
    "Full-text search over title, body, repository, sender and branch of pending events (processed ones too with include_processed). Best matches first, as summaries. Any text is a query; there is no syntax.",
  scope: READ_SCOPE,
  inputSchema: z.object({
    query: z.string().refine((query) => query.length <= 1_000, "query must be at most 1,000 characters"),
    limit: limitSchema,
    ...filterShape,
  }),
  outputSchema: summariesSchema,
  annotations: READ_ONLY,
  async run({ query, limit, ...filters }, { inbox }) {
    const { events, unavailable } = await inbox.search(query, filterOf(filters), limit);
    const cut = events.length === limit ? ["There may be more matches: raise limit, or narrow the query."] : [];
    return summariesAnswer(events, { unavailable, notes: cut });
  },
});
