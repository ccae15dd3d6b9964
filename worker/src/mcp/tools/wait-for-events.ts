import { z } from "zod";
import { READ_SCOPE } from "../../grants/bearer.ts";
import { cursorSchema, filterOf, filterShape } from "../../inbox/request.ts";
import { toSummary } from "../../inbox/summary.ts";
import { waitForEvents } from "../../inbox/wait.ts";
import { summariesAnswer, summariesSchema } from "./summaries.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** Summaries in one answer; what is beyond comes with the next call at once. */
const PAGE = 20;
const TIMEOUT_ERROR = "timeout_seconds must be from 0 to 50";

export const waitForEventsTool = defineTool({
  name: "wait_for_events",
  title: "Wait for GitHub events",
  description:
    "Returns summaries of events newer than cursor as soon as there are any, else an empty list after timeout_seconds. Without cursor: newer than now. Always gives next_cursor: pass it to the next call, so that nothing is missed in between.",
  scope: READ_SCOPE,
  inputSchema: z.object({
    cursor: cursorSchema.optional(),
    timeout_seconds: z.number(TIMEOUT_ERROR).min(0, TIMEOUT_ERROR).max(50, TIMEOUT_ERROR).default(30),
    ...filterShape,
  }),
  outputSchema: summariesSchema,
  annotations: READ_ONLY,
  async run({ cursor, timeout_seconds, ...filters }, { inbox, signal }) {
    const { events, unavailable, ...reached } = await waitForEvents(inbox, {
      cursor,
      filter: filterOf(filters),
      limit: PAGE,
      timeoutMs: timeout_seconds * 1_000,
      signal,
    });
    const more = reached.more ? ["More is waiting: call again with next_cursor."] : [];
    return summariesAnswer(events.map(toSummary), { nextCursor: reached.cursor, unavailable, notes: more });
  },
});
