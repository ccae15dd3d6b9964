import { splitIdentifier } from "../../src/engine/tokenize/identifier.ts";
import type { FileUnits, Unit } from "../../src/engine/units/unit.ts";
import { ownedText } from "../../src/engine/units/unit.ts";
import type { Pair } from "./pair.ts";
import { sentences } from "./sentences.ts";
import { withoutDocs } from "./without-docs.ts";

/** As much of a body as the engine embeds at once. */
const MAX_CODE = 1_600;
const MIN_CODE = 60;
/** Names like these say nothing about their body. */
const PLAIN_NAMES =
  /^(?:__\w+__|main|init|run|new|get|set|test\w*|setup|teardown|constructor|toString|equals|hashCode)$/i;

/** The pairs of one file, from the units that the engine makes of it. */
export function pairsOfFile(file: FileUnits): Pair[] {
  const isProse = file.language === "markdown" || file.language === "mdx";
  return file.units.flatMap((unit) => (isProse ? pairsOfSection(unit) : pairsOfUnit(unit)));
}

function pairsOfUnit(unit: Unit): Pair[] {
  if (unit.name === "" || unit.windows.length === 0) return [];
  const body = withoutDocs(ownedText(unit), unit.doc).trim();
  if (body.length < MIN_CODE) return [];
  const code = body.slice(0, MAX_CODE);
  const pairs: Pair[] = [];
  // Two sentences at most: a long comment is about many things.
  for (const query of sentences(unit.doc).slice(0, 2))
    pairs.push({ kind: "doc", query, code: `${unit.symbol}\n${code}` });
  const words = splitIdentifier(unit.name).filter((word) => word.length > 1);
  if (words.length >= 2 && !PLAIN_NAMES.test(unit.name))
    pairs.push({ kind: "name", query: words.join(" "), code: code.replaceAll(unit.name, "") });
  return pairs;
}

const FENCE = /^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^\1/gm;

/** A section's heading and prose, with the example that stands in it; without one, its heading with its prose. */
function pairsOfSection(unit: Unit): Pair[] {
  if (unit.kind !== "section") return [];
  const text = ownedText(unit);
  const examples = [...text.matchAll(FENCE)].map((match) => (match[2] as string).trim());
  const prose = text
    .replace(FENCE, " ")
    .replace(/^#+ .*$/gm, "")
    .replace(/\s+/g, " ")
    .trim();
  const heading = unit.symbol.replaceAll(" > ", " ");
  const code = examples.find((example) => example.length >= MIN_CODE);
  if (code) return [{ kind: "prose", query: `${heading}. ${prose.slice(0, 250)}`, code: code.slice(0, MAX_CODE) }];
  if (prose.length < 2 * MIN_CODE) return [];
  return [{ kind: "prose", query: heading, code: prose.slice(0, MAX_CODE) }];
}
