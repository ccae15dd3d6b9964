import type { EventFrame } from "@github-webhook-mcp/shared/stream.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StreamQueue } from "./stream-queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function frame(n: number): EventFrame {
  const received_at = new Date(n).toISOString();
  return { event_id: `event-${n}`, type: "push", cursor: `s1~1.${n}.v`, summary: { received_at } } as EventFrame;
}

/** What a queue dealt with: each event, and whether it counted as missed. */
function queue() {
  const dealt: [id: string, missed: boolean][] = [];
  const made = new StreamQueue({
    begin: async () => {},
    event: async ({ event_id, summary }, backlog) => {
      dealt.push([event_id, backlog.isMissed(summary.received_at)]);
    },
    missed: async () => {},
    failed: (error) => {
      throw error;
    },
  });
  return { made, dealt };
}

it("waits for the Worker's clock behind a replay on a slow line, so that a backlog is not told as news", async () => {
  const { made, dealt } = queue();
  for (let n = 1; n <= 5; n++) {
    made.event(frame(n));
    await vi.advanceTimersByTimeAsync(2_000);
  }
  expect(dealt).toEqual([]);
  made.clock(10);
  await vi.advanceTimersByTimeAsync(1);
  expect(dealt).toEqual([1, 2, 3, 4, 5].map((n) => [`event-${n}`, true]));
  await made.end();
});

it("keeps no event back where the clock does not come", async () => {
  const { made, dealt } = queue();
  made.event(frame(1));
  await vi.advanceTimersByTimeAsync(3_001);
  expect(dealt).toEqual([["event-1", false]]);
  await made.end();
});
