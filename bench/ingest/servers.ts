/** The servers that are compared: the Worker on raw workerd, and the reference with either layout of its files. */
import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Scratch } from "../lib/scratch.ts";
import type { WorkerConfig } from "../lib/worker-config.ts";
import { startWorkerd } from "../lib/workerd.ts";

export const SECRET = "a-webhook-secret-of-the-bench";

export type ServerName = "worker" | "reference, a file each" | "reference, one file";

export interface Server {
  name: ServerName;
  /** Where deliveries go. */
  url: string;
  pid: number;
  inspector: string | null;
  /** Ends it, and names the SQLite files that it leaves. */
  stop(): Promise<string[]>;
}

export type Starter = (data: string, inspector?: boolean) => Promise<Server>;

/** Settings of a deployed Worker; the gates that would refuse load from one address are open. */
const VARS = {
  PUBLIC_URL: "https://bench.example.com",
  GITHUB_WEBHOOK_SECRET: SECRET,
  WEBHOOK_IP_ALLOWLIST: "off",
  WEBHOOK_RATE_PER_MINUTE: "0",
  // High rather than off: leases are taken and counted as they would be.
  TENANT_QUOTA_PER_HOUR: "1000000000",
};

/**
 * What is measured through the inspector has the heap of a deployed isolate, so that garbage is collected as there.
 * https://developers.cloudflare.com/workers/platform/limits/#memory
 */
const ISOLATE_HEAP = "--max-heap-size=128";

export function starters(
  scratch: Scratch,
  { modules, config }: { modules: string; config: WorkerConfig },
): Record<ServerName, Starter> {
  const worker: Starter = async (data, inspector = false) => {
    const workerd = await startWorkerd(scratch, {
      name: "worker",
      modules,
      config,
      vars: { ...config.vars, ...VARS },
      data,
      inspector,
      v8Flags: inspector ? [ISOLATE_HEAP] : [],
    });
    return {
      name: "worker",
      url: `${workerd.url}/webhooks/github`,
      pid: workerd.pid,
      inspector: workerd.inspector,
      stop: async () => {
        await workerd.stop();
        return workerd.databases("WebhookStore");
      },
    };
  };
  const reference = (name: ServerName, layout: "one" | "each"): Starter => {
    return async (data) => {
      const script = fileURLToPath(new URL("reference-server.ts", import.meta.url));
      const child = scratch.start(process.execPath, [script, layout, data], { GITHUB_WEBHOOK_SECRET: SECRET });
      return {
        name,
        url: `http://127.0.0.1:${await portOf(child)}/webhooks/github`,
        pid: child.pid as number,
        inspector: null,
        stop: async () => {
          await scratch.stop(child);
          return readdirSync(data)
            .filter((file) => file.endsWith(".sqlite"))
            .map((file) => join(data, file));
        },
      };
    };
  };
  return {
    worker,
    "reference, a file each": reference("reference, a file each", "each"),
    "reference, one file": reference("reference, one file", "one"),
  };
}

/** The port, which is the first line that the reference prints. */
async function portOf(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return Number(line);
  throw new Error("the reference server did not start");
}
