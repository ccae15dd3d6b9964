/** A package of a registry whose sources the table is trained on, or measured with. */

export interface PackageName {
  /** `debian`: a binary package, for languages whose packages hold sources; `debian-source`: what it is built from. */
  readonly registry: "npm" | "debian" | "debian-source";
  readonly name: string;
  /** npm only. Debian's packages have the version of the release that `apt` is set up for; what it was is recorded. */
  readonly version?: string;
}

/** A package that is never trained on: what it documents is what the table is measured with. */
export interface HeldOutPackage extends PackageName {
  /** Language of the files that questions are taken from. */
  readonly language: string;
}

/** A package on this machine. */
export interface FetchedPackage {
  readonly registry: PackageName["registry"];
  readonly name: string;
  readonly version: string;
  /** In the words of the package: an SPDX expression, or a short name of Debian's copyright files. */
  readonly licence: string;
  /** The unpacked sources. */
  readonly directory: string;
  /** Whether a file (path relative to `directory`) is under a permissive licence, too. */
  readonly mayUse: (path: string) => boolean;
}

/** A package whose licence is none that this project may learn from, or whose licence cannot be read by a program. */
export class LicenceError extends Error {}

/** The folder of a package in the cache: `@scope/name` has no slash there. */
export function folderOf({ registry, name }: PackageName): string {
  return `${registry}-${name.replace("/", "+")}`;
}
