/**
 * Quality of search, in up to three parts; each runs where its data is given:
 *
 *   npm run bench:retrieval -- --data DIR --repositories DIR   question → files, beside semble's figures
 *   npm run bench:retrieval -- --packages DIR                  documentation sentence → function, held-out packages
 *   npm run bench:retrieval -- --data DIR --histories DIR      commit subject → files that it changed
 *
 * `--ablation` adds code-rag without each of its parts, `--baselines` plain FTS5, ripgrep and repo-rag's score; both
 * with paired 95 % intervals.
 *
 * DIR of `--data` holds `repos.json` and `annotations/`; of `--repositories` one checkout (at the revision of
 * `repos.json`) for each name; of `--histories` their git directories; of `--packages` what `npm run train:code-rag`
 * downloads, or will hold it. Indexes are kept in `--cache`. `--only NAME,NAME` narrows the repositories.
 */

import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { benchCommits } from "./commits.ts";
import { benchDocstrings } from "./docstrings.ts";
import { benchFiles } from "./files.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    repositories: { type: "string" },
    packages: { type: "string" },
    histories: { type: "string" },
    cache: { type: "string" },
    commits: { type: "string", default: "12" },
    only: { type: "string" },
    ablation: { type: "boolean", default: false },
    baselines: { type: "boolean", default: false },
  },
});
const from = (directory: string) => resolve(process.env.INIT_CWD ?? ".", directory);
const { ablation, baselines } = values;
const only = values.only?.split(",");
let ran = false;

if (values.data && values.repositories) {
  const repositories = from(values.repositories);
  const cache = values.cache ? from(values.cache) : join(repositories, "..", "index");
  await benchFiles({ data: from(values.data), repositories, cache, only, ablation, baselines });
  ran = true;
}
if (values.packages) {
  await benchDocstrings({ packages: from(values.packages), ablation, baselines });
  ran = true;
}
if (values.data && values.histories) {
  const commits = Number(values.commits);
  await benchCommits({
    data: from(values.data),
    histories: from(values.histories),
    commits,
    only,
    ablation,
    baselines,
  });
  ran = true;
}
if (!ran) {
  console.error(
    "Usage: npm run bench:retrieval -- [--data DIR --repositories DIR] [--packages DIR] [--data DIR --histories DIR] " +
      "[--commits N] [--only NAME,…] [--cache DIR] [--ablation] [--baselines]",
  );
  process.exit(1);
}
