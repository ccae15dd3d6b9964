/**
 * How fast JSON text of 25 MB is scanned, outlined, searched and pruned, in shapes that payloads have and in shapes
 * that are meant to hurt. For docs/decisions/009-json-scanner.md.
 *
 *     node --expose-gc bench/json-scan.mjs [shape …]
 *
 * The `tokenizer` column is @streamparser/json's, where that package is installed; `parse` is JSON.parse.
 */
import { outlineJson } from "../shared/src/json-text/outline.ts";
import { findPointer } from "../shared/src/json-text/pointer.ts";
import { pruneJson } from "../shared/src/json-text/prune.ts";
import { checkJson } from "../shared/src/json-text/scanner.ts";

const MB = 1e6;
const list = (count, item) => Array.from({ length: count }, (_, i) => item(i)).join(",");
const shapes = {
  commits: () =>
    `{"ref":"refs/heads/main","commits":[${list(38_000, (i) => JSON.stringify(commit(i)))}],"repository":{"id":1}}`,
  "one string": () => `{"a":"${"lorem ipsum dolor ".repeat(1_380_000)}"}`,
  "non-ASCII": () => `{"a":"${"日本語é".repeat(2_200_000)}"}`,
  escapes: () => `{"a":"${"\\n".repeat(12_400_000)}"}`,
  members: () => `{"client_payload":{${list(1_200_000, (i) => `"key${i}":${i}`)}}}`,
  integers: () => `{"a":[${"1,".repeat(12_400_000)}1]}`,
  "empty arrays": () => `{"a":[${"[],".repeat(8_200_000)}1]}`,
  deep: () => "[".repeat(12_400_000) + "]".repeat(12_400_000),
};

function commit(i) {
  const id = (i * 2_654_435_761).toString(16).padStart(40, "0");
  return {
    id,
    tree_id: id,
    distinct: true,
    message: `Fix number ${i}: "quoted", and\na second line with é`,
    timestamp: "2026-11-30T12:00:00+01:00",
    url: `https://github.com/octo-org/octo-repo/commit/${id}`,
    author: { name: "Mona Octocat", email: "mona@example.com", username: "octocat" },
    committer: { name: "GitHub", email: "noreply@github.com", username: "web-flow" },
    added: ["src/a.ts"],
    removed: [],
    modified: ["README.md", "package.json"],
  };
}

const streamparser = await import("@streamparser/json").catch(() => null);
const ways = {
  parse: (bytes) => JSON.parse(new TextDecoder().decode(bytes)),
  tokenizer: (bytes) => {
    const tokenizer = new streamparser.Tokenizer();
    tokenizer.onToken = () => {};
    tokenizer.write(bytes);
  },
  check: (bytes) => checkJson(bytes),
  outline: (bytes) => outlineJson(bytes),
  pointer: (bytes) => findPointer(bytes, "/repository/id"),
  prune: (bytes) => pruneJson(bytes, 400_000),
};
if (streamparser === null) delete ways.tokenizer;

const wanted = process.argv.slice(2);
const rows = {};
for (const [shape, make] of Object.entries(shapes)) {
  if (wanted.length > 0 && !wanted.includes(shape)) continue;
  const bytes = new TextEncoder().encode(make());
  const row = { MB: Math.round(bytes.length / MB) };
  for (const [way, run] of Object.entries(ways)) {
    let best = Number.POSITIVE_INFINITY;
    let first = 0;
    for (let round = 0; round < 4; round++) {
      globalThis.gc?.();
      const start = process.threadCpuUsage();
      try {
        run(bytes);
      } catch (error) {
        first = best = Number.NaN;
        console.error(shape, way, error.message);
        break;
      }
      const spent = process.threadCpuUsage(start);
      const took = (spent.user + spent.system) / 1_000;
      if (round === 0) first = took;
      best = Math.min(best, took);
    }
    row[`${way} ms`] = `${Math.round(first)} / ${Math.round(best)}`;
  }
  rows[shape] = row;
}
console.log("Milliseconds of CPU time of the thread, first run / best of four");
console.table(rows);
