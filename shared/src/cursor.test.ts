import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cursor, decodeCursor, encodeCursor, MAX_CURSOR_LENGTH, MAX_CURSOR_STORES } from "./cursor.ts";

const number = fc.maxSafeNat();
const version = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/);
const position = fc.record(
  { seq: number, version, backfill: fc.record({ seq: number, version }) },
  { requiredKeys: ["seq", "version"] },
);
const cursor: fc.Arbitrary<Cursor> = fc.oneof(
  fc.record({ kind: fc.constant("event" as const), accountId: number, receivedAt: number, position }),
  fc
    .uniqueArray(fc.tuple(number, fc.oneof(position, number)), { selector: ([account]) => account, maxLength: 30 })
    .map((entries): Cursor => {
      const stores = new Map(entries.flatMap(([id, at]) => (typeof at === "number" ? [] : [[id, at] as const])));
      const times = new Map(entries.flatMap(([id, at]) => (typeof at === "number" ? [[id, at] as const] : [])));
      return times.size > 0 ? { kind: "stores", stores, times } : { kind: "stores", stores };
    }),
);

describe("cursor", () => {
  it("comes back from its text as it was, for every position", () => {
    fc.assert(
      fc.property(cursor, (value) => {
        expect(decodeCursor(encodeCursor(value))).toEqual(value);
      }),
    );
  });

  it("holds only characters that stand in a URL unescaped", () => {
    fc.assert(
      fc.property(cursor, (value) => {
        expect(encodeCursor(value)).toMatch(/^[A-Za-z0-9._~-]+$/);
      }),
    );
  });

  it("has exactly one text for each position", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."es1~.0aZ") })), (text) => {
        const value = decodeCursor(text);
        if (value) expect([...encodeCursor(value).split("~")].sort()).toEqual([...text.split("~")].sort());
      }),
    );
  });

  it("names a realistic event in under 40 characters", () => {
    const text = encodeCursor({
      kind: "event",
      accountId: 199_999_999,
      receivedAt: Date.UTC(2026, 10, 30),
      position: { seq: 1_234_567, version: "q3Zx_9-A" },
    });
    expect(text.length).toBeLessThan(40);
  });

  it.each([
    ["empty", ""],
    ["another form", "e2~1.2.3.all"],
    ["an event without a position", "e1~1.2"],
    ["two events", "e1~1.2.3.all~1.2.3.all"],
    ["a negative number", "s1~-1.2.all"],
    ["a leading zero", "s1~01.2.all"],
    ["a fraction", "s1~1.5.2.all"],
    ["a number beyond the safe integers", "s1~1.zzzzzzzzzzz.all"],
    ["one store twice", "s1~1.2.all~1.3.all"],
    ["one store by seq and by time", "s1~1.2.all~1.3"],
    ["half a backfill", "s1~1.2.all.3"],
    ["a version with a space", "s1~1.2.a b"],
    ["an empty entry", "s1~"],
    ["JSON", '{"seq":1}'],
  ])("refuses %s", (_, text) => {
    expect(decodeCursor(text)).toBeNull();
  });

  it("refuses a text that is too long, or names too many stores", () => {
    const entries = (n: number) => Array.from({ length: n }, (_, i) => `~${i.toString(36)}.1.a`).join("");
    expect(decodeCursor(`s1${entries(MAX_CURSOR_STORES)}`)).not.toBeNull();
    expect(decodeCursor(`s1${entries(MAX_CURSOR_STORES + 1)}`)).toBeNull();
    expect(decodeCursor(`e1~1.2.3.${"a".repeat(MAX_CURSOR_LENGTH)}`)).toBeNull();
  });
});
