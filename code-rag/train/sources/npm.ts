/** Packages of npm, by `npm pack`: nothing of them runs. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPermissive } from "./licence.ts";
import { type FetchedPackage, folderOf, LicenceError, type PackageName } from "./package.ts";
import { run } from "./run.ts";

/** @throws {LicenceError} for a package that may not be used. */
export async function fetchNpm(wanted: PackageName, cache: string): Promise<FetchedPackage> {
  const folder = join(cache, "packages", folderOf(wanted));
  const directory = join(folder, "source");
  if (!existsSync(join(folder, "done"))) {
    mkdirSync(directory, { recursive: true });
    const name = `${wanted.name}@${wanted.version}`;
    await run("npm", ["pack", name, "--silent", "--ignore-scripts", "--pack-destination", folder], folder);
    const archive = readdirSync(folder).find((entry) => entry.endsWith(".tgz")) as string;
    await run("tar", ["-xzf", join(folder, archive), "-C", directory, "--strip-components=1", "--no-same-permissions"]);
    writeFileSync(join(folder, "done"), "");
  }
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    version: string;
    license?: string | { type?: string };
  };
  const licence = typeof manifest.license === "string" ? manifest.license : (manifest.license?.type ?? "none");
  if (!isPermissive(licence)) throw new LicenceError(`it is under ${licence}`);
  return { registry: "npm", name: wanted.name, version: manifest.version, licence, directory, mayUse: () => true };
}
