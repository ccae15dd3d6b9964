/**
 * Paths as tools show and take them: relative to the root, and with several roots in one index prefixed by the root's
 * name. Always with `/`.
 */

import type { SqlDriver } from "../ports.ts";
import { listRoots, type Root } from "../store/roots.ts";

export interface PathNames {
  readonly roots: readonly Root[];
  display(rootId: number, path: string): string;
  /** Roots and paths that a path from outside may mean; `repo` narrows to one root. */
  resolve(path: string, repo?: string): { readonly root: Root; readonly path: string }[];
}

export function pathNames(sql: SqlDriver): PathNames {
  const roots = listRoots(sql);
  const byId = new Map(roots.map((root) => [root.id, root]));
  return {
    roots,
    display: (rootId, path) => (roots.length > 1 ? `${byId.get(rootId)?.name}/${path}` : path),
    resolve(given, repo) {
      const path = given.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
      const candidates: { root: Root; path: string }[] = [];
      for (const root of roots) {
        if (repo !== undefined && root.name !== repo) continue;
        if (path.startsWith(`${root.name}/`)) candidates.push({ root, path: path.slice(root.name.length + 1) });
        candidates.push({ root, path });
      }
      return candidates;
    },
  };
}
