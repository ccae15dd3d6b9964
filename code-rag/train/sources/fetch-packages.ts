import { readFileSync } from "node:fs";
import { Debian } from "./debian.ts";
import { fetchNpm } from "./npm.ts";
import { type FetchedPackage, type HeldOutPackage, LicenceError, type PackageName } from "./package.ts";

export interface PackageList {
  readonly train: readonly PackageName[];
  readonly heldOut: readonly HeldOutPackage[];
}

/** The packages that this table is trained on and measured with. */
export function packageList(): PackageList {
  return JSON.parse(readFileSync(new URL("../packages.json", import.meta.url), "utf8")) as PackageList;
}

/** apt holds a lock while it downloads; npm takes a few at a time. */
const AT_ONCE = 4;

/**
 * Brings packages into `cache`, those that are not there yet, in the order of the list. One whose licence does not
 * allow it, or that the registry does not give, is left out and named on stderr.
 */
export async function fetchPackages<Wanted extends PackageName>(
  wanted: readonly Wanted[],
  cache: string,
): Promise<{ readonly wanted: Wanted; readonly fetched: FetchedPackage }[]> {
  const debian = new Debian(cache);
  const results: ({ wanted: Wanted; fetched: FetchedPackage } | undefined)[] = new Array(wanted.length);
  let next = 0;
  let done = 0;
  const worker = async () => {
    while (next < wanted.length) {
      const index = next++;
      const one = wanted[index] as Wanted;
      try {
        const fetched = one.registry === "npm" ? await fetchNpm(one, cache) : await debian.fetch(one);
        results[index] = { wanted: one, fetched };
      } catch (error) {
        const why = error instanceof LicenceError ? "licence" : "not to be had";
        console.error(`left out (${why}): ${one.name}: ${(error as Error).message.trim().split("\n").at(-1)}`);
      }
      if (++done % 25 === 0 || done === wanted.length) console.error(`packages at hand: ${done}/${wanted.length}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results.filter((result) => result !== undefined);
}
