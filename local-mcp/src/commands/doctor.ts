/** `doctor`: what works between this machine and the Worker, and what to do about what does not. */

import type { BridgeConfig } from "../ports.ts";
import { VERSION } from "../version.ts";
import { type Check, checks } from "./doctor/checks.ts";
import { makeParts } from "./parts.ts";

const MARKS: Readonly<Record<Check["result"], string>> = { good: "ok  ", bad: "FAIL", unknown: "?   " };

/** @returns the exit code: 1 where something has to be done */
export async function doctor(config: BridgeConfig): Promise<number> {
  const parts = makeParts(config);
  process.stdout.write(`github-webhook-mcp ${VERSION}, Node.js ${process.version}, ${config.workerUrl}\n\n`);
  let failed = false;
  try {
    for await (const { name, result, text } of checks(config, parts, process.env)) {
      failed ||= result === "bad";
      process.stdout.write(`${MARKS[result]}  ${name}: ${text}\n`);
    }
  } finally {
    parts.access.close();
    await parts.network.close();
  }
  process.stdout.write(`\n${CHANNEL_HELP}\n`);
  return failed ? 1 : 0;
}

/** A notification that was sent may never be seen: only the client knows. */
const CHANNEL_HELP = `Notifications of new events reach Claude Code only in a session that was started with this server as a channel:
  claude --dangerously-load-development-channels server:github-webhook-mcp
(claude --channels plugin:github-webhook-mcp@github-webhook-mcp where your organization allows that plugin.) They are
hints: nothing is marked as processed by one, and polling (get_pending_status, or the UserPromptSubmit hook) finds every
event, with or without them.`;
