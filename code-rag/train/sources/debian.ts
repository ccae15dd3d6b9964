/**
 * Packages of Debian: binary ones by `apt-get download`, source packages by `apt-get source --download-only`. The machine's own package sources stay as they are:
 * a copy of them that names `deb-src` lives in the cache, with lists of its own.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CopyrightFile, isPermissive, readCopyright } from "./licence.ts";
import { type FetchedPackage, folderOf, LicenceError, type PackageName } from "./package.ts";
import { run } from "./run.ts";

const SOURCES = "/etc/apt/sources.list.d";

export class Debian {
  readonly #cache: string;
  readonly #options: readonly string[];
  #ready: Promise<void> | undefined;

  constructor(cache: string) {
    this.#cache = cache;
    const apt = join(cache, "apt");
    this.#options = [
      `Dir::Etc::sourcelist=${join(apt, "source.sources")}`,
      "Dir::Etc::sourceparts=/dev/null",
      `Dir::State::lists=${join(apt, "lists")}`,
      `Dir::Cache=${join(apt, "cache")}`,
      "APT::Sandbox::User=root",
    ].flatMap((option) => ["-o", option]);
  }

  /** @throws {LicenceError} for a package that may not be used. */
  async fetch(wanted: PackageName): Promise<FetchedPackage> {
    return wanted.registry === "debian" ? this.#binary(wanted) : this.#source(wanted);
  }

  async #source(wanted: PackageName): Promise<FetchedPackage> {
    const { download, directory, done } = this.#folders(wanted);
    if (!existsSync(done)) {
      this.#ready ??= this.#prepare();
      await this.#ready;
      await run("apt-get", [...this.#options, "-qq", "source", "--download-only", wanted.name], download);
      // The packaging comes second: a native package has one archive with both.
      for (const archive of archives(download))
        await run("tar", ["-xf", join(download, archive.name), "-C", directory, `--strip-components=${archive.strip}`]);
      writeFileSync(done, "");
    }
    const copyright = copyrightOf(join(directory, "debian", "copyright"));
    const description = readdirSync(download).find((name) => name.endsWith(".dsc")) as string;
    return {
      registry: wanted.registry,
      name: wanted.name,
      version: description.slice(description.indexOf("_") + 1, -".dsc".length),
      licence: copyright.licence,
      directory,
      mayUse: (path) => !path.startsWith("debian/") && isPermissive(copyright.licenceOf(path)),
    };
  }

  /** The paths in its copyright file are those of the source package. */
  async #binary(wanted: PackageName): Promise<FetchedPackage> {
    const { download, directory, done } = this.#folders(wanted);
    if (!existsSync(done)) {
      await run("apt-get", ["-qq", "download", wanted.name], download);
      await run("dpkg-deb", ["-x", join(download, onlyFile(download)), directory]);
      writeFileSync(done, "");
    }
    const copyright = copyrightOf(join(directory, "usr/share/doc", wanted.name, "copyright"));
    const version = (await run("dpkg-deb", ["-f", join(download, onlyFile(download)), "Version"])).trim();
    const { licence } = copyright;
    return {
      registry: wanted.registry,
      name: wanted.name,
      version,
      licence,
      directory,
      mayUse: (path) => !copyright.mayBeRefused(path),
    };
  }

  #folders(wanted: PackageName): { download: string; directory: string; done: string } {
    const folder = join(this.#cache, "packages", folderOf(wanted));
    const [download, directory] = [join(folder, "download"), join(folder, "source")];
    for (const made of [download, directory]) mkdirSync(made, { recursive: true });
    return { download, directory, done: join(folder, "done") };
  }

  async #prepare(): Promise<void> {
    const apt = join(this.#cache, "apt");
    for (const made of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(apt, made), { recursive: true });
    const own = existsSync(SOURCES) ? readdirSync(SOURCES).filter((name) => name.endsWith(".sources")) : [];
    if (own.length === 0) throw new Error(`no package sources in ${SOURCES}: run this on Debian 12 or later`);
    const text = own.map((name) => readFileSync(join(SOURCES, name), "utf8")).join("\n\n");
    writeFileSync(join(apt, "source.sources"), text.replace(/^Types:.*$/gm, "Types: deb-src"));
    await run("apt-get", [...this.#options, "-qq", "update"]);
  }
}

function copyrightOf(file: string): CopyrightFile {
  const copyright = existsSync(file) ? readCopyright(readFileSync(file, "utf8")) : undefined;
  if (!copyright) throw new LicenceError("its copyright file is not machine-readable");
  if (!isPermissive(copyright.licence)) throw new LicenceError(`it is under ${copyright.licence}`);
  return copyright;
}

function onlyFile(folder: string): string {
  return readdirSync(folder).find((name) => name.endsWith(".deb")) as string;
}

function archives(folder: string): { readonly name: string; readonly strip: number }[] {
  const names = readdirSync(folder).filter((name) => /\.tar\.\w+$/.test(name));
  const main = names.filter((name) => /(?:\.orig|_[^_]*(?<!\.debian))\.tar\.\w+$/.test(name) && !/\.orig-/.test(name));
  const packaging = names.filter((name) => /\.debian\.tar\.\w+$/.test(name));
  return [...main.map((name) => ({ name, strip: 1 })), ...packaging.map((name) => ({ name, strip: 0 }))];
}
