import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPointer, formatPointer } from "./pointer.ts";
import { jsonText, parsed, utf8 } from "./testing/json-texts.ts";

/** Every place in a value, with what stands there. */
function* places(value: unknown, path: (string | number)[] = []): Generator<[(string | number)[], unknown]> {
  yield [path, value];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* places(item, [...path, index]);
  } else if (value !== null && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) yield* places(member, [...path, name]);
  }
}

function at(text: string, pointer: string): unknown {
  const bytes = utf8(text);
  const result = findPointer(bytes, pointer);
  return result.outcome === "found" ? parsed(bytes.subarray(result.start, result.end)) : result.outcome;
}

describe("findPointer", () => {
  it("finds every place of every text, the last of several members with one name", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        for (const [path, value] of places(parsed(utf8(text)))) expect(at(text, formatPointer(path))).toEqual(value);
      }),
      { numRuns: 1_000 },
    );
  });

  it("finds nothing where JSON.parse has nothing", () => {
    const token = fc.constantFrom("a", "b", "0", "1", "7", "-", "", "~1", "a~1b", "01", "é", "toString", "length");
    fc.assert(
      fc.property(jsonText, fc.array(token, { maxLength: 4 }), (text, tokens) => {
        const pointer = tokens.map((name) => `/${name}`).join("");
        const known = [...places(parsed(utf8(text)))].some(([path]) => formatPointer(path) === pointer);
        expect(findPointer(utf8(text), pointer).outcome).toBe(known ? "found" : "not-found");
      }),
      { numRuns: 3_000 },
    );
  });

  // RFC 6901 §5, with the names that JSON escapes.
  const example = `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}`;
  it.each([
    ["", JSON.parse(example)],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
    ["/foo/2", "not-found"],
    ["/foo/-", "not-found"],
    ["/foo/00", "not-found"],
    ["/foo/0/0", "not-found"],
    ["foo", "invalid-pointer"],
    ["#/foo", "invalid-pointer"],
    ["/m~2n", "invalid-pointer"],
    ["/m~", "invalid-pointer"],
  ])("RFC 6901: %j", (pointer, value) => {
    expect(at(example, pointer)).toEqual(value);
  });

  it("forgets what it found in an earlier member of the same name", () => {
    expect(at('{"a":{"b":1},"a":{"c":2}}', "/a/b")).toBe("not-found");
    expect(at('{"a":{"b":1},"\\u0061":{"b":2}}', "/a/b")).toBe(2);
    expect(at('{"a":{"b":1},"a":3}', "/a/b")).toBe("not-found");
    expect(at('{"a":[[1]],"a":[[2,3]]}', "/a/0/1")).toBe(3);
  });

  it("finds names that hold lone surrogates, and values behind a byte order mark", () => {
    expect(at('{"\\ud800":1}', "/\ud800")).toBe(1);
    expect(at('\ufeff{"a":[true]}', "/a/0")).toBe(true);
  });

  it("goes as deep as the pointer says", () => {
    const depth = 50_000;
    const text = `${"[".repeat(depth)}"here"${"]".repeat(depth)}`;
    expect(at(text, "/0".repeat(depth))).toBe("here");
    expect(at(text, "/0".repeat(depth + 1))).toBe("not-found");
  });
});
