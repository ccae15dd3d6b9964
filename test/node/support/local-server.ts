/**
 * `npm start` as a person runs it, in a process group of its own, with a state directory and a port of its own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Process, processes } from "./processes.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const READY = "Ctrl-C stops the server";
const START_PATIENCE_MS = 60_000;

export interface LocalServer {
  url: string;
  /** The local access token that it printed; empty where it printed none. */
  token: string;
  stateDir: string;
  /** Id of its process group, which is npm's. */
  group: number;
  /** What it has printed so far, on both streams. */
  output(): string;
  /** The live processes of its group. */
  processes(): Process[];
  /** Sends a signal to npm alone, and waits until the whole group is gone. Fails after ten seconds. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Waits until nothing of the group is left. Fails after ten seconds. */
  gone(): Promise<void>;
}

export interface Attempt {
  code: number | null;
  output: string;
}

/** A state directory that is removed when `dispose` is called. */
export function temporaryState(): { path: string; dispose(): void } {
  const path = mkdtempSync(join(tmpdir(), "webhook-state-"));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

const running = new Set<ChildProcess>();

function launch(stateDir: string, env: Record<string, string>) {
  const child = spawn("npm", ["start"], {
    cwd: root,
    detached: true, // a group of its own, which is what has to be empty in the end
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      STATE_DIR: stateDir,
      // Not what the developer keeps in .dev.vars.
      GITHUB_CLIENT_ID: "",
      GITHUB_WEBHOOK_SECRET: "",
      GITHUB_WEBHOOK_SECRET_PREVIOUS: "",
      ...env,
    },
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const closed = new Promise<number | null>((done) => child.once("close", done));
  return { child, closed, output: () => output };
}

/** Runs `npm start` for a case in which it has to give up by itself. */
export async function failToStart(stateDir: string, env: Record<string, string>): Promise<Attempt> {
  const { child, closed, output } = launch(stateDir, env);
  const timer = setTimeout(() => killGroup(child), START_PATIENCE_MS);
  const code = await closed;
  clearTimeout(timer);
  running.delete(child);
  return { code, output: output() };
}

/** Runs `npm start` and resolves once it says that it is ready. */
export async function startServer(stateDir: string, env: Record<string, string> = {}): Promise<LocalServer> {
  const { child, closed, output } = launch(stateDir, env);
  const group = child.pid!;
  const deadline = Date.now() + START_PATIENCE_MS;
  while (!output().includes(READY)) {
    const ended = await Promise.race([closed.then(() => true), pause(50, false)]);
    if (ended || Date.now() > deadline) {
      killGroup(child);
      throw new Error(`npm start did not get ready:\n${output()}`);
    }
  }
  const ofGroup = () => processes().filter((process) => process.group === group);
  const gone = async () => {
    for (const limit = Date.now() + 10_000; ofGroup().length > 0; await pause(50)) {
      if (Date.now() > limit)
        throw new Error(
          `still there: ${ofGroup()
            .map(({ command }) => command)
            .join("\n")}`,
        );
    }
    running.delete(child);
  };
  return {
    url: /Webhook URL\s+(\S+)\/webhooks\/github/.exec(output())![1]!,
    token: /Access token\s+(\S+)/.exec(output())?.[1] ?? "",
    stateDir,
    group,
    output,
    processes: ofGroup,
    gone,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await gone();
    },
  };
}

function killGroup(child: ChildProcess) {
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch {
    // nothing of it is left
  }
  running.delete(child);
}

/** Ends whatever a failed test left running. */
export function endAll() {
  for (const child of running) killGroup(child);
}

/** A request with any headers, Host included, which `fetch` does not allow. */
export function rawRequest(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  return new Promise((done, fail) => {
    const request = httpRequest(url, { method: options.method ?? "GET", headers: options.headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => done({ status: response.statusCode!, headers: response.headers, text }));
    });
    request.on("error", fail);
    request.end(options.body);
  });
}
