import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs a program without a shell and gives what it printed. Its own words are in the error when it fails. */
export async function run(program: string, args: readonly string[], directory?: string): Promise<string> {
  const { stdout } = await execute(program, args, {
    maxBuffer: 64 * 1024 * 1024,
    ...(directory ? { cwd: directory } : {}),
  });
  return stdout;
}
