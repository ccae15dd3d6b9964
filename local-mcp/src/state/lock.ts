/**
 * One process at a time, by a lock file: created exclusively, its time renewed while it is held.
 *
 * A holder that is gone does not hold anybody up: its process is not there any more (same host), or the file's time has
 * not been renewed for a while (killed with the machine, or its host asleep). Whoever takes a lock over holds a second
 * one for that moment, so that two can't take it over from each other.
 */
import { mkdir, open, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { isAlive } from "../process-alive.ts";
import { whileInUse } from "./while-in-use.ts";

const RENEW_MS = 2_000;
/** A file whose time is older than this has no holder: five renewals were missed. */
const STALE_MS = 10_000;
const RETRY_MS = 25;

/** The lock file can't be made at all: no permission, a read-only or a full disk. */
export class LockUnavailable extends Error {
  override readonly name = "LockUnavailable";
}

/** Runs `step` while holding the lock at `path`; waits for it as long as its holder lives. */
export async function withLock<T>(path: string, step: () => Promise<T>): Promise<T> {
  for (;;) {
    const release = await tryLock(path);
    if (release) {
      try {
        return await step();
      } finally {
        await release();
      }
    }
    await new Promise((done) => setTimeout(done, RETRY_MS * (1 + Math.random())));
  }
}

/**
 * Takes the lock if nobody holds it.
 * @returns what gives it back; null if somebody has it
 * @throws LockUnavailable
 */
export async function tryLock(path: string): Promise<(() => Promise<void>) | null> {
  const content = `${hostname()} ${process.pid} ${Math.random().toString(36).slice(2)}`;
  if (!(await create(path, content))) {
    if (!(await isAbandoned(path))) return null;
    await removeAbandoned(path);
    if (!(await create(path, content))) return null;
  }
  const renewal = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), RENEW_MS);
  renewal.unref();
  return async () => {
    clearInterval(renewal);
    // Taken over while this host slept? Then it is another's.
    if ((await readFile(path, "utf8").catch(() => null)) === content) await rm(path, { force: true }).catch(() => {});
  };
}

async function create(path: string, content: string): Promise<boolean> {
  // A file in the place of the folder is EEXIST, too, and no lock.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error) => {
    throw new LockUnavailable((error as Error).message);
  });
  try {
    const file = await whileInUse(() => open(path, "wx", 0o600));
    try {
      await file.writeFile(content);
    } catch (error) {
      // A full disk takes a name, but no content: left there, it would hold everybody up until it is stale.
      await rm(path, { force: true }).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new LockUnavailable((error as Error).message);
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const [content, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    // Either way: a clock that was set back would make an abandoned lock look young for hours.
    if (Math.abs(Date.now() - mtimeMs) > STALE_MS) return true;
    const [host, pid] = content.split(" ");
    return host === hostname() && pid !== undefined && !isAlive(Number(pid));
  } catch {
    // Given back in the meantime.
    return false;
  }
}

/** Removes a lock that has no holder; by one process at a time, which looks again. */
async function removeAbandoned(path: string): Promise<void> {
  const turn = `${path}.takeover`;
  if (!(await create(turn, ""))) {
    const age = await stat(turn).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > STALE_MS) await rm(turn, { force: true }).catch(() => {});
    return;
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true });
  } finally {
    await rm(turn, { force: true }).catch(() => {});
  }
}
