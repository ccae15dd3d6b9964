/**
 * The only place that starts git. Arguments go as a list, never through a shell, and nothing that a repository
 * configures may run: its hooks, file-system monitor, ssh command, filters and helpers are off on every call
 * (`core.fsmonitor` runs a program even on `ls-files`).
 */

import { spawn } from "node:child_process";

const SAFE_CONFIG = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.sshCommand=",
  "core.gitProxy=",
  "core.askPass=",
  "core.pager=cat",
  "core.alternateRefsCommand=",
  "credential.helper=",
  "diff.external=",
  "protocol.ext.allow=never",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "uploadpack.packObjectsHook=",
].flatMap((setting) => ["-c", setting]);

export interface GitOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Further environment: secrets go here, because other users can read argument lists. */
  readonly env?: Readonly<Record<string, string>>;
  /** Only our own settings count: neither the user's nor the system's git configuration is read. */
  readonly isolated?: boolean;
  readonly signal?: AbortSignal;
}

export class GitError extends Error {
  readonly exitCode: number | null;
  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Output of a git command. Throws `GitError` with git's last line, credentials removed, if it fails or takes too long. */
export function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...SAFE_CONFIG, ...args], {
      cwd: options.cwd,
      env: { ...gitEnvironment(options.isolated ?? false), ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeoutMs,
      killSignal: "SIGKILL",
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const out: Buffer[] = [];
    let errors = "";
    child.stdout.on("data", (data: Buffer) => out.push(data));
    child.stderr.on("data", (data: Buffer) => {
      errors = (errors + data.toString("utf8")).slice(-4_000);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      reject(new GitError(error.code === "ENOENT" ? "git is not installed, or not on PATH" : error.message, null));
    });
    child.on("close", (code, signal) => {
      if (code === 0) resolve(Buffer.concat(out));
      else if (signal) reject(new GitError("git took too long and was stopped", null));
      else reject(new GitError(lastLine(errors) || `git ended with code ${code}`, code));
    });
  });
}

/** The user's environment without `GIT_*`: an inherited `GIT_DIR` would list another repository. */
function gitEnvironment(isolated: boolean): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [key, value] of Object.entries(process.env)) {
    if (value !== undefined && !key.startsWith("GIT_")) env[key] = value;
  }
  env.GIT_TERMINAL_PROMPT = "0";
  env.GIT_OPTIONAL_LOCKS = "0";
  env.GIT_ALLOW_PROTOCOL = "https:ssh:git:file:http";
  env.GIT_LFS_SKIP_SMUDGE = "1";
  env.LC_ALL = "C";
  if (isolated) {
    env.GIT_CONFIG_NOSYSTEM = "1";
    env.GIT_CONFIG_GLOBAL = "/dev/null";
    env.GIT_SSH_COMMAND = "ssh -oBatchMode=yes";
  }
  return env;
}

function lastLine(text: string): string {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim().length > 0);
  const telling = lines.findLast((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? "";
  return withoutCredentials(telling.replace(/^(?:fatal|error): /, ""));
}

/** A text with the user part of every URL in it removed. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, "$1");
}
