import { describe, expect, it } from "vitest";
import { readFrame } from "./stream.ts";

const summary = {
  id: "g",
  type: "issues",
  received_at: "2026-11-30T00:00:00.000Z",
  processed: false,
  trigger_status: null,
  last_triggered_at: null,
  action: "opened",
  repo: "octo/app",
  sender: "mona",
  number: 7,
  title: "a title",
  url: null,
  head_branch: null,
  head_sha: null,
  conclusion: null,
  cursor: "e1~1.1.1.all",
};

describe("readFrame", () => {
  it.each([
    { status: "connected", stores: 2, cursor: "s1~1.1.all" },
    { event_id: "g", type: "issues", summary, cursor: "s1~1.1.all" },
    { heartbeat: 1_796_000_000_000 },
    { pong: 1_796_000_000_000 },
  ])("reads $status$type$heartbeat$pong", (frame) => {
    expect(readFrame(JSON.stringify(frame))).toEqual(frame);
  });

  it("lets through what a later Worker says of an event", () => {
    const frame = { event_id: "g", type: "issues", summary: { ...summary, mood: "good" }, cursor: "s1" };
    expect(readFrame(JSON.stringify(frame))).toEqual(frame);
  });

  it.each([
    "",
    "pong",
    "null",
    "[]",
    "{}",
    '{"status":"starting"}',
    '{"heartbeat":"now"}',
    JSON.stringify({ event_id: "g", type: "issues", cursor: "s1" }),
    JSON.stringify({ event_id: "g", type: "issues", summary: { ...summary, number: "7" }, cursor: "s1" }),
  ])("is null for %s", (text) => {
    expect(readFrame(text)).toBeNull();
  });
});
