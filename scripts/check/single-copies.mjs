/**
 * Finds packages that are installed more than once in what the workspace's packages reach. A peer dependency resolved
 * in two ways makes two copies of one version, too: what counts is the folder on disk.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The folder that `name` resolves to from a package, as Node looks it up; null when it is not installed. */
function resolveFrom(folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (at === dirname(at)) return null;
  }
}

/**
 * @param {string} root of the workspace
 * @param {string[]} packages folders to start from
 * @param {string[]} names packages that may be there once
 * @returns {string[]} a message for each that is there more than once
 */
export function copies(root, packages, names) {
  /** @type {Map<string, Map<string, string>>} */
  const found = new Map(names.map((name) => [name, new Map()]));
  const visited = new Set();
  const queue = packages.map((folder) => ({ folder: realpathSync(join(root, folder)), workspace: true }));
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (visited.has(next.folder)) continue;
    visited.add(next.folder);
    const manifest = JSON.parse(readFileSync(join(next.folder, "package.json"), "utf8"));
    const wanted = {
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
      ...(next.workspace ? manifest.devDependencies : {}),
    };
    for (const name of Object.keys(wanted)) {
      const folder = resolveFrom(next.folder, name);
      if (folder === null) continue;
      const places = found.get(name);
      if (places && !places.has(folder)) places.set(folder, manifest.name);
      queue.push({ folder, workspace: false });
    }
  }
  return [...found]
    .filter(([, places]) => places.size > 1)
    .map(([name, places]) =>
      [
        `${name} is there ${places.size} times:`,
        ...[...places].map(([folder, by]) => `  ${relative(root, folder)} (needed by ${by})`),
      ].join("\n"),
    );
}
