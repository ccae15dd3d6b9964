import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeString, decodeText } from "./decode.ts";
import { jsonText, parsed, utf8 } from "./testing/json-texts.ts";

/** JSON string texts, long ones included. */
const stringText = jsonText
  .filter((text) => text.trim().startsWith('"'))
  .map((text) => text.trim())
  .chain((text) => fc.nat(800).map((times) => `"${text.slice(1, -1).repeat(times)}"`));

describe("decoding", () => {
  it("decodeText gives what TextDecoder gives", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 9_000, size: "max" }), (text) => {
        expect(decodeText(utf8(text))).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8(text)));
      }),
      { numRuns: 50 },
    );
  });

  it("decodeString gives what JSON.parse gives", () => {
    fc.assert(
      fc.property(stringText, (text) => {
        const bytes = utf8(text);
        const value = parsed(bytes) as string;
        expect(decodeString(bytes, 0, bytes.length)).toBe(value);
      }),
      { numRuns: 300 },
    );
  });

  it("a limit cuts, but never through a surrogate pair", () => {
    fc.assert(
      fc.property(stringText, fc.nat(60), (text, limit) => {
        const bytes = utf8(text);
        const value = parsed(bytes) as string;
        const cut = decodeString(bytes, 0, bytes.length, limit);
        if (value.length <= limit) {
          expect(cut).toBe(value);
          return;
        }
        expect(value.startsWith(cut)).toBe(true);
        expect(cut.length).toBeGreaterThanOrEqual(limit - 1);
        expect(cut.length).toBeLessThanOrEqual(limit);
        const around = value.slice(Math.max(0, cut.length - 1), cut.length + 1);
        expect(/^[\ud800-\udbff][\udc00-\udfff]$/.test(around)).toBe(false);
      }),
      { numRuns: 500 },
    );
    const emoji = utf8('"ab😀"');
    expect(decodeString(emoji, 0, emoji.length, 3)).toBe("ab");
    const escaped = utf8('"ab\\ud83d\\ude00"');
    expect(decodeString(escaped, 0, escaped.length, 3)).toBe("ab");
  });
});
