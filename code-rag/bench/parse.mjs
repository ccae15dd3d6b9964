/**
 * How fast, and how soundly, files become units, for each language, on one thread: a random sample of the files below some
 * directories, the same for the same seed.
 *
 *   node code-rag/bench/parse.mjs DIRECTORY… [--files 200] [--seed 1] [--slowest 0]
 *
 * Columns: files of the sample, KB, MB of source for each second of processor time (text → units; other work on the machine
 * does not count), milliseconds of the first file (grammar and query are loaded with it), units, share of files whose
 * tree has errors, of files that were split by lines though they have a grammar, and breaches of the tiling guarantee: a
 * character in no window or in two, a wrong line. Ends with 1 if there is one.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { extractUnits } from "../src/engine/units/extract.ts";
import { languageOf } from "../src/engine/units/language-of.ts";
import { violations } from "../src/engine/units/tiling.ts";
import { createNodePort } from "../src/node/parse/node-port.ts";
import { mulberry32 } from "./lib/bootstrap.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    slowest: { type: "string", default: "0" },
  },
});
if (positionals.length === 0) {
  console.error("Usage: node code-rag/bench/parse.mjs DIRECTORY… [--files 200] [--seed 1] [--slowest 0]");
  process.exit(1);
}
const LARGEST = 1_000_000;
const wanted = Number(values.files);
/** Of one extension, so many files are looked at: a few may be empty, too large, or of another language than most. */
const tried = 5 * wanted;

const byLanguage = new Map();
const perExtension = new Map();
for (const path of shuffled(positionals.flatMap(filesUnder))) {
  const extension = extname(path);
  const seen = perExtension.get(extension) ?? 0;
  if (seen === tried || statSync(path).size > LARGEST) continue;
  perExtension.set(extension, seen + 1);
  const text = readFileSync(path, "utf8");
  if (text === "" || text.slice(0, 8192).includes("\0")) continue;
  const language = languageOf({ path, text });
  const list = byLanguage.get(language) ?? [];
  if (list.length < wanted) list.push({ path, text });
  byLanguage.set(language, list);
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
    if (quality === "lines" && language.splitter.by === "grammar") row.lines++;
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
rows.sort((a, b) => a.language.localeCompare(b.language));
const columns = Object.keys(rows[0] ?? {});
console.log(`| ${columns.join(" | ")} |\n|${columns.map((_, at) => (at === 0 ? " --- |" : " --: |")).join("")}`);
for (const row of rows) console.log(`| ${columns.map((column) => row[column]).join(" | ")} |`);
const total = (column) => rows.reduce((sum, row) => sum + row[column], 0);
console.log(`${total("files")} files in ${rows.length} languages: ${total("breaches")} breaches`);
process.exitCode = total("breaches") === 0 ? 0 : 1;
const slowest = timed.sort((a, b) => b.ms - a.ms).slice(0, Number(values.slowest));
for (const { path, ms, KB } of slowest) console.log(`${ms.toFixed(0)} ms  ${KB.toFixed(0)} KB  ${path}`);

function filesUnder(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/(^|\/)(\.git|node_modules)(\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function shuffled(paths) {
  const random = mulberry32(Number(values.seed));
  for (let last = paths.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [paths[last], paths[other]] = [paths[other], paths[last]];
  }
  return paths;
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
