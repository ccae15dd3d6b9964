import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { examplePayloads } from "../../test/corpus/examples.ts";
import { searchText } from "./search-text.ts";
import { summarizePayload } from "./summarize.ts";

const textOf = (type: string, payload: unknown) => searchText(type, payload, summarizePayload(type, payload));

it("gives what a list shows, and the text that a person wrote", () => {
  const payload = {
    issue: { number: 1, title: "Crash on start", body: "the issue's own text" },
    comment: { body: "Me too, since 2.1" },
    repository: { full_name: "octo/app" },
    sender: { login: "mona" },
  };
  expect(textOf("issue_comment", payload)).toEqual({
    title: "Crash on start",
    body: "Me too, since 2.1",
    repository: "octo/app",
    sender: "mona",
    branch: "",
  });
});

it.each([
  [
    "push",
    { ref: "refs/heads/x", commits: [{ message: "one" }, { message: "two\n\nwhy" }], head_commit: { message: "two" } },
    "one\n\ntwo\n\nwhy",
  ],
  ["push", { ref: "refs/tags/v1", commits: [], head_commit: { message: "tagged" } }, "tagged"],
  [
    "check_run",
    { check_run: { name: "test", output: { title: "2 failed", summary: "login.spec" } } },
    "2 failed\n\nlogin.spec",
  ],
  [
    "dependabot_alert",
    { alert: { security_advisory: { ghsa_id: "GHSA-x", description: "Leaks" } } },
    "GHSA-x\n\nLeaks",
  ],
  ["release", { release: { name: "One", tag_name: "v1", body: "Notes" } }, "v1\n\nNotes"],
  [
    "pull_request_review_thread",
    { thread: { comments: [{ body: "a", path: "f.ts" }, { body: "b" }] } },
    "a\n\nb\n\nf.ts",
  ],
  ["gollum", { pages: [{ title: "Home" }, { title: "Setup", summary: "typo" }] }, "Home\nSetup\n\ntypo"],
  ["brand_new_thing", { brand_new_thing: { body: "words" } }, "words"],
])("body of %s", (type, payload, body) => {
  expect(textOf(type, payload).body).toBe(body);
});

it("says a text that stands in two places once", () => {
  expect(textOf("workflow_run", { workflow_run: { display_title: "Fix", head_commit: { message: "Fix" } } }).body).toBe(
    "Fix",
  );
});

it("gives a branch where the event has one", () => {
  expect(textOf("push", { ref: "refs/heads/feat/x" }).branch).toBe("feat/x");
});

describe("bodies", () => {
  const bodyOf = (body: string) => textOf("issues", { issue: { body } }).body;

  it("end at 8,000 characters, between characters", () => {
    expect(bodyOf("x".repeat(8_000))).toHaveLength(8_000);
    expect(bodyOf("x".repeat(1_000_000))).toBe("x".repeat(8_000));
    expect(bodyOf(`${"x".repeat(7_999)}😀`)).toBe("x".repeat(7_999));
  });

  it("end at 8,000 characters when many texts make them up", () => {
    const commits = Array.from({ length: 5_000 }, () => ({ message: "a message" }));
    expect(textOf("push", { commits }).body).toHaveLength(8_000);
  });

  it("have no NUL and no half of a surrogate pair", () => {
    expect(bodyOf("a\u0000b\ud800c😀")).toBe("ab\ufffdc😀");
    expect(textOf("issues", { issue: { title: "a\u0000\udc00" } }).title).toBe("a\ufffd");
  });
});

it("gives five bounded, storable texts for any payload", () => {
  const types = fc.oneof(fc.constantFrom(...new Set(examplePayloads.map(({ type }) => type))), fc.string());
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom(...examplePayloads.map(({ payload }) => payload)));
  fc.assert(
    fc.property(types, anything, (type, payload) => {
      const texts = textOf(type, payload);
      expect(Object.keys(texts)).toEqual(["title", "body", "repository", "sender", "branch"]);
      for (const text of Object.values(texts)) {
        expect(typeof text).toBe("string");
        expect(text.length).toBeLessThanOrEqual(8_000);
        expect(text.includes("\0")).toBe(false);
        expect(text.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
