import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPointer } from "./pointer.ts";
import { MAX_PARTS, type PrunedJson, pruneJson } from "./prune.ts";
import { jsonText, parsed, utf8 } from "./testing/json-texts.ts";

const MARKER = /^\[(?:(string|array|object|number) of [0-9,]+ \w+|[0-9,]+ more items?) cut\]$/;

/** Where the pruned value differs from the original there must be a marker of the right kind and size. */
function expectSameButForMarkers(pruned: unknown, original: unknown): void {
  if (typeof pruned === "string" && MARKER.test(pruned) && pruned !== original) {
    const count = Number(/[0-9,]+/.exec(pruned)?.[0].replaceAll(",", ""));
    if (Array.isArray(original)) expect(pruned).toMatch(/^\[array/);
    else if (typeof original === "object") expect(pruned).toMatch(/^\[object/);
    else expect(pruned).toMatch(typeof original === "string" ? /^\[string/ : /^\[number/);
    if (typeof original === "string" || Array.isArray(original)) expect(count).toBe(original.length);
    return;
  }
  if (Array.isArray(pruned) && Array.isArray(original)) {
    const last = pruned.at(-1);
    const rest = typeof last === "string" && / more items? cut\]$/.test(last) && pruned.length <= original.length;
    const items = rest && last !== original[pruned.length - 1] ? pruned.slice(0, -1) : pruned;
    if (items === pruned) expect(pruned.length).toBe(original.length);
    else expect(Number(/[0-9,]+/.exec(last)?.[0].replaceAll(",", ""))).toBe(original.length - items.length);
    for (const [index, item] of items.entries()) expectSameButForMarkers(item, original[index]);
  } else if (pruned !== null && typeof pruned === "object" && original !== null && typeof original === "object") {
    expect(Object.keys(pruned)).toEqual(Object.keys(original));
    for (const [name, member] of Object.entries(pruned)) {
      expectSameButForMarkers(member, (original as Record<string, unknown>)[name]);
    }
  } else {
    expect(pruned).toEqual(original);
  }
}

function pruned(text: string, budget = 400_000): PrunedJson & { value: unknown } {
  const result = pruneJson(utf8(text), budget);
  expect(result.text.length).toBeLessThanOrEqual(budget);
  return { ...result, value: JSON.parse(result.text) };
}

/** Lays some weight into a text: repeats parts of it. */
const heavyText = fc
  .array(
    fc.oneof(
      jsonText,
      fc.tuple(jsonText, fc.nat(60)).map(([text, times]) => `[${Array(times).fill(text).join(",")}]`),
      fc.tuple(fc.string({ unit: "grapheme" }), fc.nat(60)).map(([text, times]) => JSON.stringify(text.repeat(times))),
      fc
        .tuple(jsonText, fc.nat(60))
        .map(([text, times]) => `{${Array.from({ length: times }, (_, i) => `"k${i}":${text}`).join(",")}}`),
    ),
    { maxLength: 8 },
  )
  .chain((parts) =>
    fc.constantFrom(
      `[${parts.join(",")}]`,
      `{${parts.map((part, i) => `"m${i}":${part}`).join(",")}}`,
      `{"x":{"y":[${parts.join(",")}]}}`,
    ),
  );

describe("pruneJson", () => {
  it("gives valid JSON within the budget, the same as the original but for markers", () => {
    fc.assert(
      fc.property(heavyText, fc.integer({ min: 100, max: 3_000 }), (text, budget) => {
        const result = pruned(text, budget);
        const original = parsed(utf8(text));
        expectSameButForMarkers(result.value, original);
        if (text.trim().length <= budget)
          expect(result).toMatchObject({ truncated: false, text: text.trim(), parts: [] });
        else expect(result.truncated).toBe(true);
        expect(result.parts.length).toBe(Math.min(result.cuts, MAX_PARTS));
      }),
      { numRuns: 2_000 },
    );
  });

  it("names the parts that were cut: what stands there now is a marker", () => {
    fc.assert(
      fc.property(heavyText, fc.integer({ min: 100, max: 1_000 }), (spelling, budget) => {
        // Without members that share a name: a pointer leads to the last of them, and any may be the one that was cut.
        const text = JSON.stringify(parsed(utf8(spelling)));
        const result = pruned(text, budget);
        const sizes = result.parts.map((part) => part.size);
        expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
        const bytes = utf8(result.text);
        for (const { pointer, kind } of result.parts) {
          const place = findPointer(bytes, pointer);
          if (place.outcome !== "found") throw new Error(`${pointer} ${place.outcome}`);
          const value = parsed(bytes.subarray(place.start, place.end));
          if (Array.isArray(value)) expect(value.at(-1)).toMatch(/ more items? cut\]$/);
          else expect(value).toMatch(new RegExp(`^\\[${kind} of`));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("cuts the one huge string and leaves everything around it", () => {
    const payload = {
      ref: "refs/heads/main",
      commits: [
        { id: "1", message: "x".repeat(3_000_000) },
        { id: "2", message: "y" },
      ],
    };
    const result = pruned(JSON.stringify(payload));
    payload.commits[0]!.message = "[string of 3,000,000 characters cut]";
    expect(result.value).toEqual(payload);
    expect(result.parts).toEqual([
      { pointer: "/commits/0/message", kind: "string", count: 3_000_000, size: 3_000_002 },
    ]);
  });

  it("counts a string's characters, not its escapes or bytes", () => {
    const result = pruned(`{"a":"${'\\n\\u00e9é😀\\"'.repeat(50_000)}"}`, 10_000);
    expect(result.value).toEqual({ a: "[string of 300,000 characters cut]" });
  });

  it("cuts the longest strings first, no more of them than needed", () => {
    const strings = Object.fromEntries([90, 50, 20, 70, 60].map((k, i) => [`s${i}`, "x".repeat(k * 1_000)]));
    const result = pruned(JSON.stringify(strings), 160_000);
    expect(result.value).toEqual({
      ...strings,
      s0: "[string of 90,000 characters cut]",
      s3: "[string of 70,000 characters cut]",
    });
    expect(result.parts.map((part) => part.pointer)).toEqual(["/s0", "/s3"]);
  });

  it("cuts a long list of commits as one", () => {
    const commits = Array.from({ length: 20_000 }, (_, i) => ({ id: `${i}`, message: "m".repeat(200) }));
    const payload = { ref: "main", commits, repository: { full_name: "o/r", topics: ["a"] } };
    const result = pruned(JSON.stringify(payload));
    expect(result.value).toEqual({ ...payload, commits: "[array of 20,000 items cut]" });
    expect(result.cuts).toBe(1);
  });

  it("cuts an object only where strings and arrays are not enough", () => {
    const members = `{${Array.from({ length: 100_000 }, (_, i) => `"key${i}":${i}`).join(",")}}`;
    const text = `{"action":"x","client_payload":{"big":${members},"list":[1,2,3],"text":"${"t".repeat(5_000)}"}}`;
    const result = pruned(text);
    expect(result.value).toEqual({
      action: "x",
      client_payload: { big: "[object of 100,000 members cut]", list: [1, 2, 3], text: "t".repeat(5_000) },
    });
  });

  it("shows the beginning of a root array that is too long", () => {
    const items = Array.from({ length: 20_000 }, (_, id) => ({
      id,
      body: id === 3 ? "b".repeat(500_000) : "b".repeat(90),
    }));
    const result = pruned(JSON.stringify(items));
    const list = result.value as unknown[];
    expect(list.length).toBeGreaterThan(3_000);
    expect(list[2]).toEqual(items[2]);
    expect(list[3]).toEqual({ id: 3, body: "[string of 500,000 characters cut]" });
    expect(list.at(-1)).toBe(`[${(20_001 - list.length).toLocaleString("en-US")} more items cut]`);
    expect(result.parts.map((part) => part.pointer)).toEqual(["", "/3/body"]);
  });

  it("replaces what is deeper than 500 levels, however small", () => {
    const deep = (levels: number) => `${"[".repeat(levels)}1,2${"]".repeat(levels)}`;
    expect(pruned(deep(500)).truncated).toBe(false);
    const result = pruned(deep(501));
    expect(result.text).toBe(`${"[".repeat(500)}"[array of 2 items cut]"${"]".repeat(500)}`);
    expect(result.parts).toEqual([{ pointer: "/0".repeat(500), kind: "array", count: 2, size: 5 }]);
    const mixed = pruned(`{"a":${deep(100_000)},"b":[${deep(600)},{"c":${'{"d":'.repeat(600)}0${"}".repeat(600)}}]}`);
    expect(mixed.text).toContain('"[object of 1 member cut]"');
    expect(mixed.cuts).toBe(3);
    expect(() => structuredClone(mixed.value)).not.toThrow();
  });

  it("shows the size of a root that can't be shown", () => {
    expect(pruned(JSON.stringify("é".repeat(500_000))).value).toBe("[string of 500,000 characters cut]");
    expect(pruned("1".repeat(500_000)).value).toBe("[number of 500,000 characters cut]");
    const wide = `{${Array.from({ length: 100_000 }, (_, i) => `"key${i}":${i}`).join(",")}}`;
    expect(pruned(wide)).toMatchObject({ value: "[object of 100,000 members cut]", truncated: true, cuts: 1 });
    expect(pruned(`[${wide},2]`).value).toEqual(["[object of 100,000 members cut]", 2]);
  });

  it("drops a byte order mark and outer white space, and nothing else", () => {
    expect(pruneJson(utf8('\ufeff \n{"a": [1, 2]}\n'), 1_000)).toEqual({
      text: '{"a": [1, 2]}',
      truncated: false,
      parts: [],
      cuts: 0,
    });
  });

  it("names the twenty largest of many cuts", () => {
    const texts = Array.from({ length: 300 }, (_, i) => "x".repeat(2_000 + i));
    const result = pruned(JSON.stringify({ texts: Object.fromEntries(texts.entries()) }), 100_000);
    expect(result.cuts).toBeGreaterThan(200);
    expect(result.parts.length).toBe(20);
    expect(result.parts[0]).toMatchObject({ pointer: "/texts/299", count: 2_299 });
    expect(result.parts[19]).toMatchObject({ pointer: "/texts/280" });
  });
});
