/** The built bridge as a child process, driven by the SDK's stdio client as Claude Code drives it. */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult, ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { Home } from "./home.ts";

/** What ships; `npm run build:bridge` makes it, and a test keeps it up to date. */
export const BRIDGE =
  process.env.BRIDGE_DEV ?? fileURLToPath(new URL("../../../mcp-server/server/index.js", import.meta.url));

export interface BridgeOptions {
  /** Absent: a home of its own, which goes with it. */
  home?: Home;
  env?: Record<string, string>;
  capabilities?: ClientCapabilities;
  /** Node.js to run it with. */
  node?: string;
}

export interface Bridge {
  client: Client;
  home: Home;
  pid: number;
  /** Milliseconds from the start of the process to the answer of `initialize`. */
  startedInMs: number;
  /** All notifications, as they came. */
  notifications: { method: string; params?: Record<string, unknown> }[];
  stderr(): string;
  call(tool: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  close(): Promise<void>;
}

export async function startBridge(workerUrl: string, options: BridgeOptions = {}): Promise<Bridge> {
  const home = options.home ?? new Home();
  const transport = new StdioClientTransport({
    command: options.node ?? process.execPath,
    args: [BRIDGE],
    env: { ...home.env, WEBHOOK_WORKER_URL: workerUrl, ...options.env },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => (stderr += chunk));
  const client = new Client({ name: "tests", version: "1.0.0" }, { capabilities: options.capabilities ?? {} });
  const notifications: Bridge["notifications"] = [];
  client.fallbackNotificationHandler = async (notification) => {
    notifications.push(notification);
  };
  const started = performance.now();
  await client.connect(transport);
  const startedInMs = performance.now() - started;
  return {
    client,
    home,
    pid: transport.pid!,
    startedInMs,
    notifications,
    stderr: () => stderr,
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as CallToolResult,
    async close() {
      await client.close();
      if (!options.home) home.dispose();
    },
  };
}

/** The text items of a result. */
export function textsOf({ content }: CallToolResult): string[] {
  return content.map((item) => (item.type === "text" ? item.text : ""));
}
