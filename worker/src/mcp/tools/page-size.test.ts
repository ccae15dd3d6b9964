/** What a page costs an agent, on the payloads that GitHub really sends. */
import { summarizePayload } from "@github-webhook-mcp/shared/summarize.ts";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { expect, it } from "vitest";
import { Inbox } from "../../inbox/inbox.ts";
import { FakeStores } from "../../inbox/testing/fake-store.ts";
import { callerOf } from "../testing/connect.ts";
import { listPendingEvents } from "./list-pending-events.ts";
import { toCallResult } from "./tool.ts";

const corpus = (examples as { name: string; examples: unknown[] }[]).flatMap(({ name, examples }) =>
  examples.map((payload) => ({ type: name, payload })),
);

it("a page of 20 summaries stays under 17 KB of text, wherever in the corpus it falls", async () => {
  const stores = new FakeStores();
  const { viewer } = callerOf([199_999_999]);
  for (const [i, { type, payload }] of corpus.entries()) {
    stores.store(199_999_999).add({
      id: crypto.randomUUID(),
      type,
      receivedAt: Date.UTC(2026, 10, 30) + i,
      summary: summarizePayload(type, payload as never),
    });
  }
  const inbox = new Inbox({ stores, viewer });
  const sizes: number[] = [];
  for (let cursor: string | undefined; ; ) {
    const answer = await listPendingEvents.run(
      { limit: 20, order: "newest", cursor },
      { inbox, publicUrl: "", signal: AbortSignal.timeout(5_000) },
    );
    const texts = toCallResult(answer).content.map((item) => (item.type === "text" ? item.text : ""));
    sizes.push(new TextEncoder().encode(texts.join("")).length);
    cursor = answer.remarks?.nextCursor;
    if (cursor === undefined) break;
  }
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.max(...sizes)).toBeLessThan(17_000);
});
