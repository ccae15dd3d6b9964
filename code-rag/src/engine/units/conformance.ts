/** What the units must be on every host: run by Node's tests and inside workerd. */

import { beforeAll, describe, expect, test } from "vitest";
import { BUG_CASES } from "./bug-cases.ts";
import { extractUnits } from "./extract.ts";
import type { ParsePort } from "./parse-port.ts";
import { violations } from "./tiling.ts";
import type { Unit } from "./unit.ts";

export function unitConformance(createPort: () => Promise<ParsePort>): void {
  let parse: ParsePort;
  beforeAll(async () => {
    parse = await createPort();
  });

  const declarations = (path: string, text: string) => {
    const { units } = extractUnits({ path, text }, parse);
    expect(violations(text, units)).toEqual([]);
    return units.filter(({ kind }) => kind !== "code" && kind !== "text").map(inOneLine);
  };

  describe("cases from public bug reports", () => {
    test.each(BUG_CASES)("$name", ({ path, text, declarations: expected }) => {
      expect(declarations(path, text)).toEqual(expected);
    });

    test.each(BUG_CASES)("with CRLF, $name", ({ path, text, declarations: expected }) => {
      expect(declarations(path, text.replaceAll("\n", "\r\n"))).toEqual(expected);
    });

    test.each(BUG_CASES)("with bare CR, $name", ({ path, text, declarations: expected }) => {
      expect(declarations(path, text.replaceAll("\n", "\r"))).toEqual(expected);
    });
  });
}

function inOneLine({ kind, symbol, startLine, endLine }: Unit): string {
  return `${kind} ${symbol} ${startLine === endLine ? startLine : `${startLine}-${endLine}`}`;
}
