import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { examplePayloads } from "../../test/corpus/examples.ts";
import expectedSummaries from "../../test/corpus/summaries.json" with { type: "json" };
import type { PayloadSummary } from "./events.ts";
import { knownTypes } from "./summarize/table.ts";
import { summarizePayload } from "./summarize.ts";

const NOTHING: PayloadSummary = {
  action: null,
  repo: null,
  sender: null,
  number: null,
  title: null,
  url: null,
  head_branch: null,
  head_sha: null,
  conclusion: null,
};

function expectWellTyped(summary: PayloadSummary): void {
  const { number, author_association, sender_type, ...texts } = summary;
  expect(Object.keys(summary).slice(0, 9)).toEqual(Object.keys(NOTHING));
  expect(number === null || (Number.isSafeInteger(number) && number > 0)).toBe(true);
  for (const text of [...Object.values(texts), author_association ?? null, sender_type ?? null]) {
    expect(text === null || (typeof text === "string" && text.length > 0)).toBe(true);
  }
  expect(Object.hasOwn(summary, "author_association")).toBe(author_association !== undefined);
  expect(Object.hasOwn(summary, "sender_type")).toBe(sender_type !== undefined);
  expect(sender_type).not.toBe("User");
}

describe("GitHub's example payloads", () => {
  it("are all summarized, with the right types and with pages for people", () => {
    expect(examplePayloads).toHaveLength(329);
    for (const { type, payload } of examplePayloads) {
      const summary = summarizePayload(type, payload);
      expectWellTyped(summary);
      expect(summary.url ?? "https://github.com/").toMatch(/^https?:\/\/(?!api\.)/);
    }
  });

  it("give what the reviewed table says", () => {
    const payloads = new Map(examplePayloads.map(({ type, digest, payload }) => [`${type} ${digest}`, payload]));
    for (const { type, payload: digest, summary } of expectedSummaries) {
      const key = `${type} ${digest}`;
      expect(payloads.has(key), `${key} is not among the examples`).toBe(true);
      expect(summarizePayload(type, payloads.get(key)), key).toEqual(summary);
    }
  });

  it("are all in the table by type, at least a hundred of them", () => {
    expect(new Set(expectedSummaries.map(({ type }) => type))).toEqual(
      new Set(examplePayloads.map(({ type }) => type)),
    );
    expect(expectedSummaries.length).toBeGreaterThanOrEqual(100);
  });
});

describe("titles", () => {
  const titleOf = (title: string) => summarizePayload("issues", { issue: { title } }).title!;

  it("are kept as they are, whitespace included", () => {
    expect(titleOf("  two\n lines\t\u2028😀 ")).toBe("  two\n lines\t\u2028😀 ");
    expect(titleOf("x".repeat(300))).toBe("x".repeat(300));
  });

  it("are cut to 300 characters, between characters", () => {
    expect(titleOf("x".repeat(100_000))).toBe(`${"x".repeat(299)}…`);
    expect(titleOf(`${"x".repeat(298)}😀${"y".repeat(9)}`)).toBe(`${"x".repeat(298)}…`);
    expect(titleOf(`${"x".repeat(297)}😀${"y".repeat(9)}`)).toBe(`${"x".repeat(297)}😀…`);
  });

  it("keep lone surrogates", () => {
    expect(titleOf("a\ud800b")).toBe("a\ud800b");
    expect(titleOf("\udc00".repeat(400))).toBe(`${"\udc00".repeat(299)}…`);
  });
});

it("drops an address that is too long rather than cutting it", () => {
  const html_url = `https://github.com/${"x".repeat(3_000)}`;
  expect(summarizePayload("issues", { issue: { html_url } }).url).toBeNull();
});

describe("whatever the payload is", () => {
  const types = fc.oneof(fc.constantFrom(...knownTypes), fc.constantFrom("__proto__", "constructor", ""), fc.string());

  it("gives a well-typed summary", () => {
    fc.assert(fc.property(types, fc.jsonValue(), (type, payload) => expectWellTyped(summarizePayload(type, payload))));
    for (const payload of [
      undefined,
      null,
      1,
      "x",
      [],
      { __proto__: null },
      JSON.parse('{"__proto__":{"action":1}}'),
    ]) {
      expect(summarizePayload("issues", payload)).toEqual(NOTHING);
    }
  });

  it("survives any one member being replaced by anything", () => {
    const example = fc.constantFrom(...examplePayloads);
    fc.assert(
      fc.property(example, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), fc.jsonValue(), (from, way, value) => {
        expectWellTyped(summarizePayload(from.type, withReplaced(from.payload, way, value)));
      }),
      { numRuns: 500 },
    );
  });

  it("reads a payload that is nested a hundred thousand levels deep", () => {
    const deep = JSON.parse(`{"action":"opened","issue":{"number":1,"body":${"[".repeat(1e5)}${"]".repeat(1e5)}}}`);
    expect(summarizePayload("issues", deep)).toEqual({ ...NOTHING, action: "opened", number: 1 });
  });
});

/** A copy in which the member at the end of `way` (each step picks one by index) is another value. */
function withReplaced(payload: unknown, way: number[], value: unknown): unknown {
  if (typeof payload !== "object" || payload === null || way.length === 0) return value;
  const keys = Object.keys(payload);
  if (keys.length === 0) return value;
  const key = keys[way[0]! % keys.length]!;
  const copy = Array.isArray(payload) ? [...payload] : { ...payload };
  (copy as Record<string, unknown>)[key] = withReplaced((payload as Record<string, unknown>)[key], way.slice(1), value);
  return copy;
}
