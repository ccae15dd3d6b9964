import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkJson, END, JsonScanner, JsonTextError, KEY, OPEN_ARRAY, OPEN_OBJECT } from "./scanner.ts";
import { jsonText, mutatedText, parsed, utf8 } from "./testing/json-texts.ts";

describe("what the scanner accepts", () => {
  it("accepts every spelling of valid JSON", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(parsed(utf8(text))).not.toBe(undefined);
        expect(checkJson(utf8(text))).toBe(null);
      }),
      { numRuns: 2_000 },
    );
  });

  it("agrees with JSON.parse on damaged texts", () => {
    fc.assert(
      fc.property(mutatedText, (text) => {
        const bytes = utf8(text);
        expect(checkJson(bytes) === null).toBe(parsed(bytes) !== undefined);
      }),
      { numRuns: 20_000 },
    );
  });

  it("agrees with JSON.parse on random ASCII noise", () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\01-+.eEtrufalsn \n\tx/'), maxLength: 8 });
    fc.assert(
      fc.property(noise, (text) => {
        const bytes = utf8(text);
        expect(checkJson(bytes) === null).toBe(parsed(bytes) !== undefined);
      }),
      { numRuns: 50_000 },
    );
  });

  it.each([
    ["", "Text ends where a value should stand at byte 0"],
    ['{"a":1,}', "Expected a member name at byte 7"],
    ["[1,]", "Expected a value at byte 3"],
    ["[1 2]", 'Expected "," or "]" at byte 3'],
    ['{"a" 1}', 'Expected ":" at byte 5'],
    ['{"a":1]', 'Expected "," or "}" at byte 6'],
    ["01", "Number with a leading zero at byte 0"],
    ["1.", "Text ends where a digit should stand at byte 2"],
    ["tru", "Unknown word at byte 0"],
    ['"a\nb"', "Control character in a string at byte 2"],
    ['"a', "Unterminated string at byte 0"],
    ['"\\x"', "Bad escape at byte 1"],
    ['"\\u12g4"', "Bad unicode escape at byte 1"],
    ["1 2", "Unexpected text after the value at byte 2"],
    ["1\u0000", "Unexpected text after the value at byte 1"],
  ])("refuses %j and says why and where", (text, message) => {
    const error = checkJson(utf8(text));
    expect(error).toBeInstanceOf(JsonTextError);
    expect(error?.message).toBe(message);
  });

  it("passes over one byte order mark, at the start only", () => {
    expect(checkJson(utf8('\ufeff{"a":1}'))).toBe(null);
    expect(checkJson(utf8("\ufeff\ufeff{}"))?.offset).toBe(3);
    expect(checkJson(utf8("{}\ufeff"))?.offset).toBe(2);
  });

  it("takes a million levels", () => {
    const depth = 1_000_000;
    const bytes = new Uint8Array(2 * depth).fill(0x5b, 0, depth).fill(0x5d, depth);
    expect(checkJson(bytes)).toBe(null);
    expect(checkJson(bytes.subarray(0, 2 * depth - 1))?.offset).toBe(2 * depth - 1);
    bytes[depth] = 0x7d;
    expect(checkJson(bytes)?.offset).toBe(depth);
  });
});

describe("offsets", () => {
  it("give each value's own text, and lengths in UTF-16 code units", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const bytes = utf8(text);
        const decoded = new TextDecoder().decode(bytes);
        const scanner = new JsonScanner(bytes);
        for (;;) {
          const { escaping } = scanner;
          const token = scanner.next();
          if (token === END) break;
          const slice = bytes.subarray(scanner.start, scanner.end);
          const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, scanner.end));
          expect(scanner.end - scanner.surplus).toBe(before.length);
          expect(decoded.startsWith(before)).toBe(true);
          if (token === KEY || token > 0x20) {
            const piece = new TextDecoder().decode(slice);
            if (piece.length > 1 || /[0-9]/.test(piece)) expect(() => JSON.parse(piece)).not.toThrow();
            if (piece.startsWith('"')) {
              expect(piece.length - 2 - (scanner.escaping - escaping)).toBe(JSON.parse(piece).length);
            }
          }
        }
      }),
    );
  });

  it("skip() reads to the closing bracket and counts items and members", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const bytes = utf8(text);
        const value = parsed(bytes);
        const scanner = new JsonScanner(bytes);
        const token = scanner.next();
        if (token === OPEN_ARRAY) expect(scanner.skip()).toBe((value as unknown[]).length);
        else if (token === OPEN_OBJECT)
          expect(scanner.skip()).toBeGreaterThanOrEqual(Object.keys(value as object).length);
        expect(scanner.depth).toBe(0);
        expect(scanner.next()).toBe(END);
      }),
    );
    const members = new JsonScanner(utf8('{"a":[1,{"b":2}],"a":{"c":[]},"d":0}'));
    members.next();
    expect(members.skip()).toBe(3);
  });
});
