/** What a notification says of GitHub's own examples: the first of each event type, word for word. */
import { summarizePayload } from "@github-webhook-mcp/shared/summarize.ts";
import { expect, it } from "vitest";
import { notificationOf } from "../../local-mcp/src/channel/line.ts";
import { examplePayloads } from "../corpus/examples.ts";
import golden from "../corpus/notifications.json" with { type: "json" };

const rows = Object.entries(golden as Record<string, { digest: string; content: string[] }>);

it("has a checked-in text for every event type", () => {
  expect(rows.map(([type]) => type).toSorted()).toEqual(
    [...new Set(examplePayloads.map(({ type }) => type))].toSorted(),
  );
});

it.each(rows)("%s", (type, { digest, content }) => {
  const example = examplePayloads.find((candidate) => candidate.type === type && candidate.digest === digest);
  expect(example, "the example has gone from the package").toBeDefined();
  const summary = { ...summarizePayload(type, example!.payload), type, received_at: "2026-01-02T03:04:05.006Z" };
  const notification = notificationOf("7c9e6679-7425-40de-944b-e07fc1f90ae7", summary);
  expect(notification.content.split("\n")).toEqual(content);
  expect(notification.meta).toEqual({
    chat_id: "github",
    message_id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    user: summary.sender ?? "github",
    ts: "2026-01-02T03:04:05.006Z",
  });
});
