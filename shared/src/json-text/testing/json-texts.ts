/** Arbitrary JSON *texts*, in every spelling that the grammar allows: what tests feed the scanner and its users. */

import fc from "fast-check";

const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** What JSON.parse makes of the bytes (byte order mark removed); undefined if it refuses them. */
export function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\r", "\t"), maxLength: 2 });

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
  fc.constantFrom("-0", "0.5e+10", "1E5", "1e-7", "123456789012345678901234567890", "1e999", "-0.0"),
);

const character = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom("\u2028", "😀", "é", "\u007f", "\u0000", "/", "\\", '"') },
);

/** One character of a string, raw where that is allowed, or as an escape; lone surrogates as escapes. */
const spelled = fc.oneof(
  { weight: 8, arbitrary: character.map((c) => JSON.stringify(c).slice(1, -1)) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(0xffff), fc.boolean()).map(([unit, upper]) => {
      const hex = unit.toString(16).padStart(4, "0");
      return `\\u${upper ? hex.toUpperCase() : hex}`;
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom("\\/", "\\b", "\\f", "\\ud83d\\ude00", "\\ud83d", "\\u0000") },
);

const stringText = fc.array(spelled, { maxLength: 12 }).map((parts) => `"${parts.join("")}"`);
/**
 * Few names, so that members often share one; spelled differently at times. None has a backslash in it: V8 14.6's
 * JSON.parse, once it has seen a member named `\\`, takes an escaped name at the same place (`"\\u0061"`) for it.
 */
const nameText = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('"a"', '"b"', '"\\u0061"', '""', '"a/b"', '"m~n"', '"__proto__"', '"0"', '"é"'),
  },
  { weight: 1, arbitrary: stringText.filter((text) => !(JSON.parse(text) as string).includes("\\")) },
);

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      space,
      fc.oneof(
        { maxDepth: 5, depthSize: "small" },
        fc.constantFrom("true", "false", "null", "[]", "{}"),
        numberText,
        stringText,
        fc.array(tie("value"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
        fc
          .array(fc.tuple(space, nameText, space, tie("value")), { maxLength: 5 })
          .map((members) => `{${members.map((member) => `${member.slice(0, 3).join("")}:${member[3]}`).join(",")}}`),
      ),
      space,
    )
    .map((parts) => parts.join("")),
}));

/** A valid JSON text. */
export const jsonText = value;

/** A JSON text whose root is an object. */
export const objectText = fc
  .array(fc.tuple(nameText, value), { maxLength: 6 })
  .map((members) => `{${members.map(([name, member]) => `${name}:${member}`).join(",")}}`);

/** A JSON text with a few places changed: sometimes still valid, mostly not. */
export const mutatedText = fc
  .tuple(
    value,
    fc.array(
      fc.record({
        at: fc.nat(200),
        remove: fc.nat(2),
        insert: fc.constantFrom(
          "",
          "",
          ",",
          ":",
          '"',
          "\\",
          "[",
          "]",
          "{",
          "}",
          "0",
          "-",
          ".",
          "e",
          " ",
          "\u0001",
          "\ufeff",
          "x",
          "é",
          "\\u12",
          "\u00a0",
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((result, { at, remove, insert }) => {
      const place = result.length === 0 ? 0 : at % result.length;
      return result.slice(0, place) + insert + result.slice(place + remove);
    }, text),
  );
