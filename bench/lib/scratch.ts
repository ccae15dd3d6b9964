/** The directory and the processes of one run. Both are gone when the run ends, however it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export class Scratch implements Disposable {
  /** On the disk of the checkout: a temporary directory may be memory, where an fsync costs nothing. */
  readonly dir: string;
  readonly #running = new Set<ChildProcess>();

  constructor() {
    const parent = process.env.BENCH_DIR ?? join(root, "node_modules", ".bench");
    mkdirSync(parent, { recursive: true });
    this.dir = mkdtempSync(join(parent, "run-"));
    process.once("exit", () => this[Symbol.dispose]());
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  }

  /** A new directory of this run. */
  folder(name: string): string {
    const path = join(this.dir, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  remove(name: string): void {
    rmSync(join(this.dir, name), { recursive: true, force: true });
  }

  /**
   * Starts a process of this run; `control` is its fd 3. What it prints on stderr is printed when it fails.
   * @param env beyond PATH
   */
  start(command: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn(command, args, {
      cwd: this.dir,
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    this.#running.add(child);
    let tail = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        tail = (tail + chunk).slice(-4_000);
      });
    }
    child.once("exit", (code, signal) => {
      if (this.#running.delete(child)) {
        process.stderr.write(`${command} ended on its own (${code ?? signal}):\n${tail}\n`);
        process.exit(1);
      }
    });
    return child;
  }

  /** Ends a process of this run and waits until it is gone, so that its files are whole. */
  async stop(child: ChildProcess): Promise<void> {
    if (!this.#running.delete(child)) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await gone;
  }

  [Symbol.dispose](): void {
    for (const child of this.#running) child.kill("SIGKILL");
    this.#running.clear();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
