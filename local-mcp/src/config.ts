/** The bridge's configuration, out of the environment. Pure. */
import { join } from "node:path";
import type { BridgeConfig } from "./ports.ts";

export type ConfigResult = { ok: true; config: BridgeConfig } | { ok: false; message: string };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables that the README names. A blank value is unset, and so is a placeholder (`${user_config.…}`) that a
 * host has passed on for an optional field which nobody filled in.
 *
 * @param home the user's home directory
 */
export function readBridgeConfig(env: Environment, home: string): ConfigResult {
  const worker = workerOrigin(setting(env, "WEBHOOK_WORKER_URL"));
  if ("problem" in worker) return { ok: false, message: worker.problem };
  const channel = setting(env, "WEBHOOK_CHANNEL");
  return {
    ok: true,
    config: {
      workerUrl: worker.origin,
      stateDirectory: join(home, ".github-webhook-mcp"),
      channel: {
        // Claude Desktop writes a boolean of its settings as a word.
        enabled: !["0", "false", "off", "no"].includes(channel?.toLowerCase() ?? ""),
        types: list(setting(env, "WEBHOOK_CHANNEL_TYPES")),
        repositories: list(setting(env, "WEBHOOK_CHANNEL_REPOS")),
        senders: list(setting(env, "WEBHOOK_CHANNEL_SENDERS")),
      },
    },
  };
}

function setting(env: Environment, name: string): string | null {
  const value = env[name]?.trim() ?? "";
  return value === "" || /^\$\{[^}]*\}$/.test(value) ? null : value;
}

/** Names are compared in lower case: GitHub's logins and repository names know no case, its event types are lower. */
function list(value: string | null): string[] {
  return (value ?? "")
    .split(",")
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== "");
}

const EXAMPLE = 'for example "https://webhook.example.com", or "http://127.0.0.1:8787" for a Worker on this machine';

/** The origin of what somebody typed as their Worker's address: a path, such as that of `/mcp`, does not matter. */
function workerOrigin(value: string | null): { origin: string } | { problem: string } {
  if (value === null)
    return { problem: `WEBHOOK_WORKER_URL is not set. Set it to the address of your Worker, ${EXAMPLE}.` };
  // `localhost:8787` would be read as a URL of the scheme "localhost".
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
  if (!hasScheme || !URL.canParse(value)) {
    return { problem: `WEBHOOK_WORKER_URL is no web address: "${value}". It has to be a whole URL, ${EXAMPLE}.` };
  }
  const { protocol, hostname, origin, username } = new URL(value);
  if (username !== "") return { problem: "WEBHOOK_WORKER_URL must not hold a user name or password." };
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return { origin };
  return {
    problem: `WEBHOOK_WORKER_URL has to begin with https:// ("${value}"): tokens and events would travel unprotected. Plain http:// is for a Worker on this machine only.`,
  };
}

/** Whether a URL's host name is this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|(.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
