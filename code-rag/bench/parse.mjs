/**
 * How fast, and how soundly, files become units, for each language, on one thread.
 *
 *   node code-rag/bench/parse.mjs DIRECTORY… [--files 200] [--slowest 0]
 *
 * Columns: MB of source for each second of processor time (text → units; other work on the machine does not count), first file (grammar and query are loaded with it), units, share of files
 * whose tree has errors, of files that were split by lines though they have a grammar, and breaches of the tiling
 * guarantee (must be 0).
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { extractUnits } from "../src/engine/units/extract.ts";
import { languageOf } from "../src/engine/units/language-of.ts";
import { violations } from "../src/engine/units/tiling.ts";
import { createNodePort } from "../src/node/parse/node-port.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { files: { type: "string", default: "200" }, slowest: { type: "string", default: "0" } },
});
const LARGEST = 1_000_000;

const byLanguage = new Map();
for (const path of positionals.flatMap(filesUnder)) {
  if (statSync(path).size > LARGEST) continue;
  const text = readFileSync(path, "utf8");
  if (text.slice(0, 8192).includes("\0")) continue;
  const language = languageOf({ path, text });
  const list = byLanguage.get(language) ?? [];
  if (list.length < Number(values.files)) byLanguage.set(language, [...list, { path, text }]);
}

const parse = await createNodePort();
const rows = [];
const timed = [];
for (const [language, files] of byLanguage) {
  const row = { language: language.id, files: files.length, KB: 0, ms: 0, units: 0, errors: 0, lines: 0, breaches: 0 };
  const started = cpuMs();
  extractUnits(files[0], parse);
  const firstMs = cpuMs() - started;
  for (const file of files) {
    const start = cpuMs();
    const { quality, units } = extractUnits(file, parse);
    const ms = cpuMs() - start;
    timed.push({ path: file.path, ms, KB: file.text.length / 1000 });
    row.KB += file.text.length / 1000;
    row.ms += ms;
    row.units += units.length;
    if (quality === "recovered") row.errors++;
    if (quality === "lines" && file.text !== "" && language.splitter.by === "grammar") row.lines++;
    row.breaches += violations(file.text, units).length;
  }
  rows.push({
    language: row.language,
    files: row.files,
    KB: Math.round(row.KB),
    "MB/s": Number((row.KB / row.ms).toFixed(2)),
    "first ms": Math.round(firstMs),
    units: row.units,
    "errors %": Math.round((100 * row.errors) / row.files),
    "lines %": Math.round((100 * row.lines) / row.files),
    breaches: row.breaches,
  });
}
console.table(rows.sort((a, b) => b.KB - a.KB));
const slowest = timed.sort((a, b) => b.ms - a.ms).slice(0, Number(values.slowest));
for (const { path, ms, KB } of slowest) console.log(`${ms.toFixed(0)} ms  ${KB.toFixed(0)} KB  ${path}`);

function filesUnder(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/(^|\/)(\.git|node_modules)(\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
