import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** The script behind a command of an installed package, to be run with our own Node. */
export function packageBin(name: string, command: string): string {
  const manifest = join(MODULES, name, "package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: string | Record<string, string> };
  const script = typeof bin === "string" ? bin : bin[command];
  if (script === undefined) throw new Error(`${name} has no command ${command}`);
  return join(dirname(manifest), script);
}
