import { expect, it } from "vitest";
import { wants } from "./filter.ts";
import type { Notable } from "./line.ts";

const event = { type: "push", repo: "Octo/App", sender: "Mona" } as Notable;
const none = { types: [], repositories: [], senders: [] };

it("wants everything where nothing is set", () => {
  expect(wants(none, event)).toBe(true);
  expect(wants(none, { ...event, repo: null, sender: null })).toBe(true);
});

it("compares without regard to case, as GitHub does", () => {
  expect(wants({ types: ["push"], repositories: ["octo/app"], senders: ["mona"] }, event)).toBe(true);
});

it("wants only what every list has", () => {
  expect(wants({ ...none, types: ["issues", "push"] }, event)).toBe(true);
  expect(wants({ ...none, repositories: ["octo/other"] }, event)).toBe(false);
  expect(wants({ types: ["push"], repositories: [], senders: ["hubot"] }, event)).toBe(false);
});

it("does not want what has no repository or sender where those are chosen", () => {
  expect(wants({ ...none, repositories: ["octo/app"] }, { ...event, repo: null })).toBe(false);
  expect(wants({ ...none, senders: ["mona"] }, { ...event, sender: null })).toBe(false);
});
