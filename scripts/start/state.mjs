/**
 * The state directory of local mode: what outlives a run (the stored events, the access token) and the note that says
 * which process serves it now. Everything in it is for its owner's eyes only.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const PRIVATE_FILE = 0o600;

/** Absolute path of the state directory: STATE_DIR (from the working directory), else `.state` in the checkout. */
export function stateDirectory(root, value, cwd = process.cwd()) {
  return value ? resolve(cwd, value) : join(root, ".state");
}

/** Makes the directory where it is missing, and says in plain words when it can't be used. */
export function prepareStateDirectory(directory) {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const probe = join(directory, `.write-test-${process.pid}`);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new Error(`The state directory ${directory} can't be used: ${error.message}`);
  }
}

/** Writes a file that only its owner may read, whatever mode an older one had. */
export function writePrivate(path, text) {
  writeFileSync(path, text, { mode: PRIVATE_FILE });
  chmodSync(path, PRIVATE_FILE);
}

/**
 * The bearer token of local mode: the given one (LOCAL_TOKEN), else the one kept in the state directory, made at the
 * first start.
 */
export function localToken(directory, given) {
  if (given) {
    // What a Bearer header can carry: token68 of RFC 9110 §11.2.
    if (!/^[\w.~+/-]+=*$/.test(given)) {
      throw new Error("LOCAL_TOKEN may only hold letters, digits and - . _ ~ + / (it travels in a Bearer header).");
    }
    return given;
  }
  const path = join(directory, "local-token");
  try {
    const kept = readFileSync(path, "utf8").trim();
    if (kept) {
      chmodSync(path, PRIVATE_FILE);
      return kept;
    }
  } catch (error) {
    if (error.code !== "ENOENT") throw new Error(`The access token in ${path} can't be read: ${error.message}`);
  }
  const token = randomBytes(32).toString("base64url");
  writePrivate(path, `${token}\n`);
  return token;
}

const notePath = (directory) => join(directory, "running.json");

/**
 * Who serves this state directory now.
 *
 * @returns {{ pid: number, url: string, token: string | null } | null} null when nobody does
 */
export function runningServer(directory) {
  let note;
  try {
    note = JSON.parse(readFileSync(notePath(directory), "utf8"));
  } catch {
    return null;
  }
  return isAlive(note.pid) ? note : null;
}

/**
 * Notes that this process serves the directory; two at once would write to the same databases. Returns the function
 * that takes the note away.
 */
export function claimStateDirectory(directory, note) {
  const path = notePath(directory);
  const mine = `${path}.${process.pid}`;
  writePrivate(mine, `${JSON.stringify({ pid: process.pid, ...note })}\n`);
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        linkSync(mine, path); // fails where a note exists: of two starters, one wins
        break;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const other = runningServer(directory);
      if (other || attempt > 2) {
        throw new Error(
          `${directory} is already served${other ? ` by process ${other.pid} at ${other.url}` : ""}. Stop that one, or choose another STATE_DIR.`,
        );
      }
      rmSync(path, { force: true }); // its process is gone
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(path, { force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
