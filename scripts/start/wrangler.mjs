/**
 * `wrangler dev` as a child of the start script: started quietly, shown when it is ready, ended with us.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const STOP_PATIENCE_MS = 5_000;
const PROBE_MS = 1_500;
const PROBES = 2;

/** Keeps wrangler from asking or telling anyone anything: it has to work without a network. */
const OFFLINE = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

/**
 * Off: what `wrangler dev` offers developers. Its trace store writes the whole address of every request to disk, the
 * codes and states of sign-ins included, and its explorer lets whoever reaches the port read traces and storage.
 */
const NO_INSPECTION = { X_LOCAL_OBSERVABILITY: "false", X_LOCAL_EXPLORER: "false" };

const WRANGLER_MANIFEST = createRequire(import.meta.url).resolve("wrangler/package.json");

/**
 * Environment that puts a shell script before workerd and esbuild: they would go on after wrangler was killed, and the
 * script ends them then. Nothing on Windows, which has no such shell.
 */
function endingWithParent() {
  if (process.platform === "win32") return {};
  const fromWrangler = createRequire(WRANGLER_MANIFEST);
  const fromMiniflare = createRequire(fromWrangler.resolve("miniflare"));
  const fromEsbuild = createRequire(fromWrangler.resolve("esbuild"));
  return {
    WORKERD_BINARY: process.env.MINIFLARE_WORKERD_PATH ?? fromMiniflare("workerd").default,
    MINIFLARE_WORKERD_PATH: join(HERE, "run-workerd.sh"),
    ESBUILD_BINARY: fromEsbuild.resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`),
    ESBUILD_BINARY_PATH: join(HERE, "run-esbuild.sh"),
  };
}

/** Resolves with a port that can be listened on: the wanted one, or any free one for 0. */
export function reservePort(wanted) {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      const reason =
        error.code === "EADDRINUSE"
          ? `Port ${wanted} is in use by another program. Stop it, or choose another port: PORT=8788 npm start`
          : error.code === "EACCES"
            ? `Port ${wanted} may not be used by this account. Choose one above 1023: PORT=8788 npm start`
            : `Port ${wanted} can't be listened on: ${error.message}`;
      fail(new Error(reason));
    });
    server.listen(wanted, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => done(port));
    });
  });
}

/**
 * Starts `wrangler dev` on a prepared configuration.
 *
 * @param {{ configPath: string, stateDir: string, port: number, secrets: Record<string, string>, colour: boolean }} options
 * @returns {{ ready: Promise<void>, ended: Promise<number>, lost: Promise<void>, show: () => void, stop: () => Promise<void> }}
 *   `ready` rejects when wrangler ends first; `ended` gives its exit code; `lost` resolves when it lives on and answers
 *   no more; what it says is kept back until `show`.
 */
export function startWrangler({ configPath, stateDir, port, secrets, colour }) {
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, ...OFFLINE, ...NO_INSPECTION, ...endingWithParent(), ...secrets };
  env.WRANGLER_LOG_PATH = join(stateDir, "logs");
  env.WRANGLER_REGISTRY_PATH = join(stateDir, "registry");
  delete env.CLOUDFLARE_ENV; // would choose another environment of the configuration
  if (!colour) {
    env.NO_COLOR = "1";
    delete env.FORCE_COLOR;
  }
  const child = spawn(
    process.execPath,
    [
      "--import",
      new URL("end-with-parent.mjs", import.meta.url).href,
      join(dirname(WRANGLER_MANIFEST), "bin", "wrangler.js"),
      "dev",
      ...["--config", configPath, "--local", "--persist-to", stateDir],
      ...["--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0"],
      "--show-interactive-dev-session=false",
    ],
    { env, stdio: ["ignore", "pipe", "pipe", "ipc"] },
  );

  let kept = "";
  let shown = false;
  let crashed = async () => {};
  const relay = (from, to) =>
    from.on("data", (chunk) => {
      if (String(chunk).includes("runtime crashed")) crashed();
      if (shown) to.write(chunk);
      else kept += chunk;
    });
  relay(child.stdout, process.stdout);
  relay(child.stderr, process.stderr);

  const ended = new Promise((done) => {
    child.once("error", () => done(1));
    child.once("exit", (code) => done(code ?? 1));
  });
  const ready = new Promise((done, fail) => {
    child.on("message", (message) => {
      if (String(message).includes("DEV_SERVER_READY")) done(undefined);
    });
    ended.then((code) => fail(new Error(`wrangler dev ended (exit code ${code}) before it was ready:\n\n${kept}`)));
  });

  // wrangler restarts a runtime that crashed. When it was the one that hands requests on to the Worker, they wait for
  // ever after that.
  /** @type {Promise<void>} */
  const lost = new Promise((done) => {
    let probing = false;
    crashed = async () => {
      if (probing) return;
      probing = true;
      if (await silent(`http://127.0.0.1:${port}/healthz`)) done();
      probing = false;
    };
  });

  return {
    ready,
    ended,
    lost,
    show: () => {
      shown = true;
    },
    async stop() {
      const isOver = () => child.exitCode !== null || child.signalCode !== null;
      if (isOver()) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Whether nothing answers at a URL, after some time to come back. */
async function silent(url) {
  for (let attempt = 0; attempt < PROBES; attempt++) {
    await pause(PROBE_MS);
    const answered = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) }).then(
      () => true,
      () => false,
    );
    if (answered) return false;
  }
  return true;
}
