import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";

/** Directories of tools that never hold a project's own sources; outside of git nothing else says so. */
const TOOL_DIRECTORIES = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "bower_components",
  "__pycache__",
  ".venv",
  "venv",
  ".tox",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".gradle",
  ".terraform",
]);
const MAX_IGNORE_BYTES = 1024 * 1024;

interface Rules {
  /** Directory of the ignore file, relative to the root, with a slash at its end; empty for the root. */
  readonly base: string;
  readonly matcher: Ignore;
}

interface Directory {
  readonly path: string;
  readonly rules: readonly Rules[];
}

/** Paths of files below a directory that is no git checkout, by the rules of its `.gitignore` files. Depth costs no stack. */
export function* walk(root: string): Generator<string> {
  const open: Directory[] = [{ path: "", rules: [] }];
  for (let directory = open.pop(); directory; directory = open.pop()) {
    const { path } = directory;
    const entries = readEntries(join(root, path));
    const rules = withIgnoreFile(root, directory);
    const below: Directory[] = [];
    for (const entry of entries) {
      const child = `${path}${entry.name}`;
      if (entry.isDirectory()) {
        if (TOOL_DIRECTORIES.has(entry.name) || isIgnored(rules, `${child}/`) || isRepository(join(root, child)))
          continue;
        below.push({ path: `${child}/`, rules });
      } else if (entry.isFile() && !isIgnored(rules, child)) {
        yield child;
      }
    }
    open.push(...below.reverse());
  }
}

/** An unreadable directory, or one whose path is too long for the system, is empty. */
function readEntries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function withIgnoreFile(root: string, directory: Directory): readonly Rules[] {
  try {
    const file = join(root, directory.path, ".gitignore");
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.size > MAX_IGNORE_BYTES) return directory.rules;
    return [...directory.rules, { base: directory.path, matcher: ignore().add(readFileSync(file, "utf8")) }];
  } catch {
    return directory.rules;
  }
}

/** The deepest ignore file that says anything about a path decides (gitignore(5)). */
function isIgnored(rules: readonly Rules[], path: string): boolean {
  for (let i = rules.length - 1; i >= 0; i--) {
    const { base, matcher } = rules[i] as Rules;
    const result = matcher.test(path.slice(base.length));
    if (result.ignored) return true;
    if (result.unignored) return false;
  }
  return false;
}

function isRepository(directory: string): boolean {
  return existsSync(join(directory, ".git"));
}
