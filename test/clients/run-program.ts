/** Runs other people's programs under the pinned Node.js, with nothing of theirs left behind. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

/** The MCP Inspector's command line. */
export const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a package of the npm registry with `npx`.
 * @param spec name and exact version, such as `left-pad@1.3.0`
 */
export function npx(spec: string, args: readonly string[]): Promise<Finished> {
  return runProgram("npx", ["--yes", spec, ...args]);
}

export async function runProgram(program: string, args: readonly string[]): Promise<Finished> {
  // A directory that is nobody's project, and a home for what the tool likes to keep.
  const directory = mkdtempSync(join(tmpdir(), "program-"));
  const child = spawn(program, args, {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // The pinned Node.js, whichever one started the tests.
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: directory,
      npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
      npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), ".npmrc"),
      NO_COLOR: "1",
    },
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  const code = await new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  return { code, ...output };
}
