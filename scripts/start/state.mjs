/**
 * The state directory of local mode: what outlives a run (the stored events, the access token) and the note that says
 * which process serves it now. Everything in it is for its owner's eyes only.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

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
 * @returns {{ pid: number, startedAt: number, url: string, token: string | null } | null} null when nobody does
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
 *
 * @param {string} directory
 * @param {{ url: string, token: string | null }} note
 * @param {{ patienceMs?: number, startupMs?: number }} [options] how long a process that does not answer is waited for
 *   (one that was killed lingers for a moment), and how old the note of one that is still starting can be
 */
export async function claimStateDirectory(directory, note, { patienceMs = 3_000, startupMs = 60_000 } = {}) {
  const path = notePath(directory);
  const mine = `${path}.${process.pid}`;
  writePrivate(mine, `${JSON.stringify({ pid: process.pid, startedAt: Date.now(), ...note })}\n`);
  try {
    for (const deadline = Date.now() + patienceMs; ; ) {
      try {
        linkSync(mine, path); // fails where a note exists: of two starters, one wins
        return () => rmSync(path, { force: true });
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const other = runningServer(directory);
      if (other && (await listens(other.url))) throw alreadyServed(directory, other);
      if (other && Date.now() < deadline) {
        await pause(100);
        continue;
      }
      // Its id can also be another program's by now.
      if (other && Date.now() - other.startedAt < startupMs) throw alreadyServed(directory, other);
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function alreadyServed(directory, { pid, url }) {
  return new Error(
    `${directory} is already served by process ${pid} at ${url}. Stop that one, or choose another STATE_DIR.`,
  );
}

/** Whether anything accepts connections there. */
function listens(url) {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname);
    const answer = (yes) => {
      socket.destroy();
      done(yes);
    };
    socket.setTimeout(1_000, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
