/** The Worker under `wrangler dev`, started as a person would with the settings of a GitHub App: `npm start`'s script. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { reservePort } from "../../scripts/start/wrangler.mjs";
import { type StandInGitHub, startGitHub } from "../github/start.ts";
import type { WorldDescription } from "../github/world.ts";

const START = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));
const READY_MS = 90_000;

export interface SignInStage {
  /** PUBLIC_URL of the Worker. */
  url: string;
  github: StandInGitHub;
  /** Everything that the Worker wrote. */
  log(): string;
  /** Where its Durable Objects are on disk. */
  stateDir: string;
  close(): Promise<void>;
}

/** Starts both, the Worker pointed at the stand-in and the stand-in's webhooks at the Worker. */
export async function startStage(
  world: WorldDescription,
  settings: Readonly<Record<string, string>> = {},
  options: { tokenLifetimeSeconds?: number } = {},
): Promise<SignInStage> {
  const port = await reservePort(0);
  const url = `http://127.0.0.1:${port}`;
  const github = await startGitHub(world, { callbackUrls: [`${url}/oauth/callback`], ...options });
  github.app.webhookUrl = `${url}/webhooks/github`;
  const stateDir = mkdtempSync(join(tmpdir(), "sign-in-"));
  const child = spawn(process.execPath, [START], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      STATE_DIR: stateDir,
      NO_COLOR: "1",
      // As under npm: then it ends with us, however we end.
      npm_lifecycle_event: "start",
      ...github.settings,
      WEBHOOK_IP_ALLOWLIST: "off",
      ...settings,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const close = async () => {
    await stop(child);
    await github.close();
    rmSync(stateDir, { recursive: true, force: true });
  };
  try {
    await ready(url, child, () => output);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, github, stateDir, log: () => output, close };
}

async function ready(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; ) {
    if (child.exitCode !== null) throw new Error(`the Worker ended with ${child.exitCode}:\n${log()}`);
    const health = await fetch(`${url}/healthz`).catch(() => null);
    if (health?.ok) return;
    await health?.body?.cancel();
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error(`the Worker was not ready in ${READY_MS / 1_000} s:\n${log()}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(timer);
}
