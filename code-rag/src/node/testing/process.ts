import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Arguments of `node` that run the command line from its source. */
export function commandLine(...args: string[]): string[] {
  return ["--disable-warning=ExperimentalWarning", MAIN, ...args];
}

/** An environment without keys, in which the cache is the test's own. */
export function cleanEnvironment(cache: string, extra: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: cache, CODE_RAG_CACHE: cache, ...extra };
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts code-rag; it is killed after the test if it still runs. */
export function start(args: string[], options: { cwd: string; env: Record<string, string> }): ChildProcess {
  const child = spawn(process.execPath, commandLine(...args), { ...options, stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => {
    if (child.exitCode === null) child.kill("SIGKILL");
  });
  return child;
}

/** Runs code-rag to its end. */
export function run(args: string[], options: { cwd: string; env: Record<string, string> }): Promise<Finished> {
  return finished(start(args, options));
}

export function finished(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (data) => {
    stdout += data;
  });
  child.stderr?.on("data", (data) => {
    stderr += data;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
