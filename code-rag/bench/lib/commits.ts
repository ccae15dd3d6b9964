import { execFileSync } from "node:child_process";

export interface Commit {
  readonly id: string;
  /** First line of the message, without the number of its pull request. */
  readonly subject: string;
  /** Source files that it changed, as they were called before. */
  readonly files: readonly string[];
}

/** Chores say nothing about the files that they touch. */
const CHORE =
  /\b(?:merge|bump|release|version|revert|changelog|typo|format(?:ting)?|lint|cleanup|clean up|rename|deps?|dependabot|dependenc|upgrade|update (?:readme|docs)|ci|workflow|prettier|rustfmt|copyright|whitespace|spelling)\b/i;
const SOURCE =
  /\.(?:py|go|c|h|cc|cpp|hpp|js|mjs|ts|tsx|java|rs|rb|php|cs|kt|swift|scala|hs|lua|ex|exs|zig|sh|bash|bats)$/i;
const MOST_FILES = 6;
/** How far back: older trees are other projects. */
const NEWEST = 3_000;

/** Up to `count` commits spread evenly over the newest history, oldest first. A file that a commit adds is no target. */
export function chooseCommits(git: string, count: number): Commit[] {
  const log = execFileSync(
    "git",
    [`--git-dir=${git}`, "log", `-${NEWEST}`, "--no-merges", "--no-renames", "--name-status", "--format=%x00%H%x01%s"],
    { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
  );
  const commits = log.split("\0").slice(1).flatMap(readCommit);
  const step = Math.max(1, commits.length / count);
  const chosen = Array.from({ length: Math.min(count, commits.length) }, (_, i) => commits[Math.floor(i * step)]);
  return (chosen as Commit[]).reverse();
}

function readCommit(entry: string): Commit[] {
  const [head = "", ...lines] = entry.split("\n").filter((line) => line !== "");
  const [id = "", text = ""] = head.split("\x01");
  const subject = text
    .replace(/\s*\(#\d+\)|#\d+/g, "")
    .replace(/^\w+(?:\([^)]*\))?!?:\s*/, "")
    .trim();
  if (CHORE.test(text) || subject.split(/\s+/).length < 4) return [];
  const changed = lines.map((line) => line.split("\t") as [string, string]).filter(([, path]) => path);
  const files = changed.filter(([status, path]) => status === "M" && SOURCE.test(path)).map(([, path]) => path);
  return files.length === 0 || files.length > MOST_FILES ? [] : [{ id, subject, files }];
}
