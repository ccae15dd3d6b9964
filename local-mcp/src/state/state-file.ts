/**
 * The state file of one Worker (schema.ts): read as it stands, written by rename, changed by one process at a time.
 *
 * Guarantees: a reader never sees half a file. What the disk refuses lives on in memory, so that a sign-in works for the
 * life of the process in a home directory that can't be written to.
 */
import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { warnOnce } from "../log.ts";
import type { BridgeState, StateFile } from "../ports.ts";
import { LockUnavailable, tryLock, withLock } from "./lock.ts";
import { bridgeState } from "./schema.ts";
import { whileInUse } from "./while-in-use.ts";

/** @param directory is made with mode 0700 when it is first written to */
export function openStateFile(directory: string, workerUrl: string): StateFile {
  return new OriginStateFile(directory, workerUrl);
}

/** The name of a Worker's file: readable, and its own for each origin, so that no token goes to another. */
export function stateFileName(workerUrl: string): string {
  const { host, origin } = new URL(workerUrl);
  const readable = host.replace(/[^a-z0-9.-]+/g, "_").slice(0, 80);
  return `${readable}-${createHash("sha256").update(origin).digest("hex").slice(0, 12)}.json`;
}

class OriginStateFile implements StateFile {
  readonly #directory: string;
  readonly #path: string;
  /** What the disk did not take. */
  #inMemory: BridgeState | null = null;

  constructor(directory: string, workerUrl: string) {
    this.#directory = directory;
    this.#path = join(directory, stateFileName(workerUrl));
  }

  async read(): Promise<BridgeState> {
    return this.#inMemory ?? (await this.#readDisk());
  }

  async update(change: (state: BridgeState) => BridgeState): Promise<BridgeState> {
    if (this.#inMemory) {
      this.#inMemory = change(this.#inMemory);
      return this.#inMemory;
    }
    try {
      return await withLock(`${this.#path}.lock`, async () => {
        const changed = change(await this.#readToChange());
        await this.#write(changed);
        return changed;
      });
    } catch (error) {
      if (!isDiskError(error)) throw error;
      warnOnce(
        `${this.#directory} can't be written to (${(error as Error).message}). Sign-in and position are kept in memory, and forgotten when this program ends.`,
      );
      this.#inMemory = change(await this.#readDisk());
      return this.#inMemory;
    }
  }

  async exclusive<T>(name: string, step: () => Promise<T>): Promise<T> {
    let begun = false;
    try {
      return await withLock(this.#lockOf(name), () => {
        begun = true;
        return step();
      });
    } catch (error) {
      // Nobody else can take a lock in there either.
      if (!begun && error instanceof LockUnavailable) return step();
      throw error;
    }
  }

  async tryExclusive<T>(name: string, step: () => Promise<T>): Promise<{ result: T } | null> {
    let release: (() => Promise<void>) | null;
    try {
      release = await tryLock(this.#lockOf(name));
    } catch (error) {
      if (error instanceof LockUnavailable) return { result: await step() };
      throw error;
    }
    if (release === null) return null;
    try {
      return { result: await step() };
    } finally {
      await release();
    }
  }

  async diskProblem(): Promise<string | null> {
    try {
      await withLock(`${this.#path}.lock`, async () => this.#write(await this.#readToChange()));
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #lockOf(name: string): string {
    return `${this.#path}.${name}.lock`;
  }

  async #readDisk(): Promise<BridgeState> {
    try {
      return await this.#readToChange();
    } catch (error) {
      warnOnce(`${this.#path} can't be read (${(error as Error).message}); going on without it.`);
      return {};
    }
  }

  /** @throws where there is a file that can't be read: to write over it would end a sign-in that is good. */
  async #readToChange(): Promise<BridgeState> {
    try {
      return this.#parse(await whileInUse(() => readFile(this.#path, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw error;
    }
  }

  #parse(text: string): BridgeState {
    let json: unknown = null;
    try {
      json = JSON.parse(text);
    } catch {
      // Said below.
    }
    const state: Record<string, unknown> = {};
    const spoilt: string[] = [];
    if (typeof json !== "object" || json === null || Array.isArray(json)) spoilt.push("all of it");
    else {
      for (const [name, member] of Object.entries(bridgeState.shape)) {
        const parsed = member.safeParse((json as Record<string, unknown>)[name]);
        if (!parsed.success) spoilt.push(name);
        else if (parsed.data !== undefined) state[name] = parsed.data;
      }
    }
    if (spoilt.length > 0) {
      warnOnce(`${this.#path} is damaged (${spoilt.join(", ")}); going on without that. A new sign-in repairs it.`);
    }
    return state as BridgeState;
  }

  async #write(state: BridgeState): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await chmod(this.#directory, 0o700);
    const temporary = `${this.#path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
    try {
      await writeFile(temporary, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: "wx" });
      await whileInUse(() => rename(temporary, this.#path));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }
}

function isDiskError(error: unknown): boolean {
  return error instanceof LockUnavailable || typeof (error as NodeJS.ErrnoException).errno === "number";
}
