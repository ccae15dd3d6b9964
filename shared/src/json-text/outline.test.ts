import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outlineJson } from "./outline.ts";
import { mutatedText, objectText, parsed, utf8 } from "./testing/json-texts.ts";

function outlined(text: string): Record<string, unknown> {
  const result = outlineJson(utf8(text));
  if (result.outcome !== "ok") throw new Error(result.outcome);
  return result.value;
}

describe("outlineJson", () => {
  it("gives what JSON.parse gives, where nothing is too large", () => {
    fc.assert(
      fc.property(objectText, (text) => {
        expect(outlined(text)).toStrictEqual(parsed(utf8(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("tells invalid JSON, other roots and objects apart, as JSON.parse does", () => {
    fc.assert(
      fc.property(mutatedText, (text) => {
        const value = parsed(utf8(text));
        const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
        const expected = value === undefined ? "invalid" : isObject ? "ok" : "not-an-object";
        expect(outlineJson(utf8(text)).outcome).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
    expect(outlineJson(utf8("[1]"))).toEqual({ outcome: "not-an-object", found: "array" });
    expect(outlineJson(utf8("null"))).toEqual({ outcome: "not-an-object", found: "null" });
    expect(outlineJson(utf8('"x"'))).toEqual({ outcome: "not-an-object", found: "string" });
    expect(outlineJson(utf8(" 1 "))).toEqual({ outcome: "not-an-object", found: "number" });
    expect(outlineJson(utf8("true"))).toEqual({ outcome: "not-an-object", found: "boolean" });
    const invalid = outlineJson(utf8('{"a":[1,}'));
    expect(invalid.outcome === "invalid" && invalid.error.offset).toBe(8);
  });

  it("cuts long strings at a whole character", () => {
    const { body } = outlined(JSON.stringify({ body: `x${"😀".repeat(20_000)}` }));
    expect(body).toBe(`x${"😀".repeat(8_191)}`);
  });

  it("keeps the first items of a long array, and what follows the array", () => {
    const value = outlined(JSON.stringify({ commits: Array.from({ length: 20_000 }, (_, id) => ({ id })), after: 1 }));
    expect(value).toEqual({ commits: Array.from({ length: 50 }, (_, id) => ({ id })), after: 1 });
  });

  it("leaves out what is very deep, and keeps what stands beside it", () => {
    const text = `{"deep":${"[".repeat(100_000)}${"]".repeat(100_000)},"a":{"b":{"c":{"d":{"e":"kept"}}}}}`;
    const value = outlined(text);
    expect(value.a).toEqual({ b: { c: { d: { e: "kept" } } } });
    expect(JSON.stringify(value.deep)).toBe("[[[[[[[]]]]]]]");
  });

  it("a member of a million keys does not crowd out the others", () => {
    const hostile = `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":${i}`).join(",")}}`;
    const members = Array.from(
      { length: 40 },
      (_, i) => `"hostile${i}":${i < 20 ? hostile.slice(0, 200_001).replace(/,[^,]*$/, "}") : "{}"}`,
    );
    const repository = {
      id: 7,
      full_name: "o/r",
      owner: { login: "o", id: 1 },
      topics: ["a"],
      description: "d".repeat(300),
    };
    const sender = { login: "s", id: 2, type: "User" };
    const text = `{"client_payload":${hostile},${members.join(",")},"repository":${JSON.stringify(repository)},"sender":${JSON.stringify(sender)}}`;
    const value = outlined(text);
    expect(value.repository).toEqual(repository);
    expect(value.sender).toEqual(sender);
    const kept = Object.keys(value.client_payload as object).length;
    expect(kept).toBeGreaterThan(1_000);
    expect(kept).toBeLessThan(10_000);
    expect(JSON.stringify(value).length).toBeLessThan(3_000_000);
  });

  it("stays small however many top-level members there are", () => {
    const text = `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":"${"v".repeat(50)}"`).join(",")},"k3":"last"}`;
    const value = outlined(text);
    expect(Object.keys(value).length).toBe(256);
    expect(value.k3).toBe("last");
  });

  it("the last member of a name counts, also where it does not fit", () => {
    const filler = Array.from({ length: 30_000 }, (_, i) => `"k${i}":0`).join(",");
    const value = outlined(`{"repository":{"id":1,"name":"x",${filler},"id":2}}`);
    const repository = value.repository as Record<string, unknown>;
    expect(repository.name).toBe("x");
    expect(Object.hasOwn(repository, "id")).toBe(false);
  });

  it("makes __proto__ a member like any other", () => {
    const value = outlined('{"__proto__":{"installation":{"id":1}},"a":{"__proto__":null}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect("installation" in value).toBe(false);
    expect(Object.keys(value)).toEqual(["__proto__", "a"]);
    expect(Object.getPrototypeOf(value.a)).toBe(Object.prototype);
  });
});
