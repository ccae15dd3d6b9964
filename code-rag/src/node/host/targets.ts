import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { listRoots } from "../../engine/store/roots.ts";
import { CodeRagError } from "../errors.ts";
import { cloneRepository } from "../git/clone.ts";
import { checkRef, looksLikeUrl, parseRepositoryUrl, type RepositoryUrl, urlPolicy } from "../git/repository-url.ts";
import type { NodeSqlite } from "../sqlite/node-sqlite.ts";
import type { RootTarget } from "./index-job.ts";

/** What a user named: a directory that is there, or a repository that will be cloned. */
export type Target =
  | { readonly kind: "directory"; readonly directory: string }
  | { readonly kind: "repository"; readonly repository: RepositoryUrl; readonly ref: string | undefined };

/** Reads an argument of the command line. Throws one line where it names nothing usable; starts nothing. */
export function parseTarget(argument: string, ref: string | undefined, env: NodeJS.ProcessEnv): Target {
  if (looksLikeUrl(argument)) {
    const repository = parseRepositoryUrl(argument, urlPolicy(env));
    return { kind: "repository", repository, ref: ref === undefined ? undefined : checkRef(ref) };
  }
  return { kind: "directory", directory: existingDirectory(argument) };
}

/** Roots of an index as targets; directories that are gone are left out, so that nothing of them is removed. */
export function storedTargets(sql: NodeSqlite, env: NodeJS.ProcessEnv): Target[] {
  return listRoots(sql).flatMap((root): Target[] => {
    if (root.url !== null) {
      const repository = parseRepositoryUrl(root.url, urlPolicy(env));
      return [{ kind: "repository", repository, ref: root.ref ?? undefined }];
    }
    return isDirectory(root.location) ? [{ kind: "directory", directory: root.location }] : [];
  });
}

/** Makes a target's directory ready, cloning or fetching where it is a repository. */
export async function prepareTarget(target: Target, cache: string, signal?: AbortSignal): Promise<RootTarget> {
  if (target.kind === "directory") return { directory: target.directory };
  const { repository, ref } = target;
  const directory = await cloneRepository({
    cache,
    repository,
    ...(ref === undefined ? {} : { ref }),
    ...(signal ? { signal } : {}),
  });
  return { directory, name: repository.name, url: repository.url, ...(ref === undefined ? {} : { ref }) };
}

/** What identifies a target, for the name of its database. */
export function targetKey(target: Target): string {
  return target.kind === "directory" ? target.directory : `${target.repository.url}\0${target.ref ?? ""}`;
}

function existingDirectory(argument: string): string {
  const path = resolve(argument);
  if (!isDirectory(path)) throw new CodeRagError("not_found", `No such directory: ${argument}`);
  return realpathSync(path);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
