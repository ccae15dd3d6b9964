import { extractUnits } from "../../engine/units/extract.ts";
import type { ParsePort } from "../../engine/units/parse-port.ts";
import type { UnitExtractor } from "../../engine/units/unit.ts";
import { createNodePort } from "../parse/node-port.ts";

/** Grows when the units of unchanged files would come out differently: indexes then extract them again. */
export const EXTRACTOR_ID = "1";

/**
 * Extracts units on this thread. The parser is made when the first file needs it: a run without changes has no use for
 * one. A file on which a grammar crashes is split by lines, and the parser starts anew.
 */
export function createExtractor(): UnitExtractor {
  let port: Promise<ParsePort> | undefined;
  return async (file) => {
    port ??= createNodePort();
    try {
      return extractUnits(file, await port);
    } catch {
      port = undefined;
      return extractUnits(file, undefined);
    }
  };
}
