import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory that is removed after the test. */
export function temporaryDirectory(name = "code-rag-test"): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}

/** Writes files below a directory; gives the directory. */
export function writeTree(directory: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return directory;
}

/** Git as a user would run it, away from this machine's configuration. */
export function git(directory: string, ...args: string[]): string {
  return execFileSync(
    "git",
    ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "protocol.file.allow=always", ...args],
    {
      cwd: directory,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH ?? "", HOME: directory, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    },
  );
}

/** A repository with the files committed. */
export function repository(directory: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  mkdirSync(directory, { recursive: true });
  writeTree(directory, files);
  git(directory, "init", "--quiet", "--initial-branch=main");
  git(directory, "add", "--all", "--force");
  git(directory, "commit", "--quiet", "--message", "files");
  return directory;
}
