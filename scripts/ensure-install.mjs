/**
 * Makes sure that the dependencies of this checkout are installed, and costs nothing when they are.
 *
 * Runs before every npm script (`pre*` in package.json) on whatever Node is at hand (18 or newer), so it uses no
 * dependency. A stamp beside the packages holds a hash of everything that decides what is installed; only when it
 * differs does pnpm run, and one run at a time. Everything goes to stderr: stdout belongs to the script that follows.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PNPM = "pnpm@12.4.2";
const LOCK_PATIENCE_MS = 15 * 60_000;

/** The folders that have a manifest of their own: the root and its direct children. */
function packageFolders(root) {
  const children = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .sort();
  return ["", ...children].filter((folder) => existsSync(join(root, folder, "package.json")));
}

/** Only what bears on the installation counts: editing a script must not reinstall everything. */
function relevantManifest(path) {
  const { name, dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(path, "utf8"),
  );
  return JSON.stringify({ name, dependencies, devDependencies, optionalDependencies, peerDependencies });
}

/** Names the state that node_modules has to be in: manifests, lockfile, workspace file, pnpm and platform. */
export function installationHash(root) {
  const hash = createHash("sha256");
  hash.update([PNPM, process.platform, process.arch].join("\0"));
  for (const folder of packageFolders(root)) {
    hash.update(`\0${folder}\0${relevantManifest(join(root, folder, "package.json"))}`);
  }
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ".npmrc"]) {
    const path = join(root, file);
    hash.update(`\0${file}\0`);
    if (existsSync(path)) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

const stampPath = (root) => join(root, "node_modules", ".install-stamp");

/** Whether node_modules is there and is what the manifests ask for. */
export function isInstalled(root) {
  try {
    if (readFileSync(stampPath(root), "utf8") !== installationHash(root)) return false;
  } catch {
    return false;
  }
  return packageFolders(root).every((folder) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(join(root, folder, "package.json"), "utf8"),
    );
    const needsSome = Object.keys({ ...dependencies, ...devDependencies }).length > 0;
    return !needsSome || existsSync(join(root, folder, "node_modules"));
  });
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** A lock that its holder left behind: the process is gone, or never wrote its id. */
function isStale(lock) {
  try {
    const pid = Number(readFileSync(join(lock, "pid"), "utf8"));
    return pid > 0 && !isAlive(pid);
  } catch {
    try {
      return Date.now() - statSync(lock).mtimeMs > 10_000;
    } catch {
      return false; // it was given back in the meantime
    }
  }
}

/**
 * Runs `work` while no other process does: `mkdir` is atomic on every file system.
 */
async function withLock(root, work) {
  const lock = join(root, ".install-lock");
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  for (let waited = false; ; waited = true) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (isStale(lock)) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (Date.now() > deadline)
      throw new Error(`Another installation holds ${lock} for too long. If none is running, delete it.`);
    if (!waited) process.stderr.write("Waiting for another installation of this checkout …\n");
    await pause(250);
  }
  const release = () => rmSync(lock, { recursive: true, force: true });
  process.once("exit", release);
  writeFileSync(join(lock, "pid"), String(process.pid));
  try {
    return await work();
  } finally {
    process.removeListener("exit", release);
    release();
  }
}

/** A PATH without the folders that belong to this checkout. */
function withoutFoldersOf(root, path) {
  return path
    .split(delimiter)
    .filter((folder) => !resolve(folder).startsWith(join(root, "node_modules")))
    .join(delimiter);
}

/** Runs pnpm through npx, its output on our stderr; resolves with the exit code and the last of what it said. */
function runPnpm(root) {
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, CI: "true", npm_config_update_notifier: "false" };
  // With NODE_ENV=production pnpm would leave out the development tools, which are what runs this project.
  delete env.NODE_ENV;
  // Nor may the installation run on the Node.js that it is about to replace: npm puts the checkout's own first.
  for (const name of Object.keys(env)) {
    if (name.toUpperCase() === "PATH") env[name] = withoutFoldersOf(root, env[name] ?? "");
  }
  const windows = process.platform === "win32";
  return new Promise((done, fail) => {
    const child = spawn("npx", ["--yes", "--prefer-offline", PNPM, "install", "--frozen-lockfile"], {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      shell: windows, // npx is a .cmd file there
    });
    let tail = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        process.stderr.write(chunk);
        tail = (tail + chunk).slice(-8_000);
      });
    }
    const forward = (signal) => child.kill(signal);
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, forward);
    const settle = () => {
      for (const signal of ["SIGINT", "SIGTERM"]) process.removeListener(signal, forward);
    };
    child.on("error", (error) => {
      settle();
      fail(error);
    });
    child.on("close", (code) => {
      settle();
      done({ code, tail });
    });
  });
}

/** What to tell someone whose installation failed. */
export function explainFailure(code, tail) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|fetch failed/i.test(tail)) {
    return "The dependencies could not be installed: the npm registry can't be reached from here. Check the network (and a proxy, if you use one), then run the command again.";
  }
  if (/ERR_PNPM_OUTDATED_LOCKFILE/.test(tail)) {
    return `The lockfile does not match the manifests. After changing a package.json run: npx --yes ${PNPM} install`;
  }
  return `The dependencies could not be installed (exit code ${code}); the reason stands above.`;
}

/** Installs what is missing. Throws an Error whose message is for the person at the terminal. */
export async function ensureInstalled(root) {
  if (isInstalled(root)) return;
  await withLock(root, async () => {
    if (isInstalled(root)) return; // another process did it while this one waited
    process.stderr.write("Installing dependencies (once; a minute or two when nothing is cached) …\n");
    const hash = installationHash(root);
    let result;
    try {
      result = await runPnpm(root);
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
      throw new Error(
        "npx was not found. Install Node.js 18 or newer together with npm: https://nodejs.org/en/download",
      );
    }
    if (result.code !== 0) throw new Error(explainFailure(result.code, result.tail));
    writeFileSync(stampPath(root), hash);
  });
}

const isMain = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isMain) {
  const major = Number(process.versions.node.split(".")[0]);
  try {
    if (major < 18) throw new Error(`Node.js 18 or newer is needed; this is ${process.versions.node}.`);
    await ensureInstalled(resolve(fileURLToPath(new URL("..", import.meta.url))));
  } catch (error) {
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
