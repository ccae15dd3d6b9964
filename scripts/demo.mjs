/**
 * `npm run demo`: sends a handful of real example payloads to a running `npm start`, then shows what an agent sees,
 * asked through the MCP SDK's own client.
 */
import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { painter, wantsColour } from "./start/banner.mjs";
import { mergeSettings, readDevVars, readPort } from "./start/settings.mjs";
import { runningServer, stateDirectory } from "./start/state.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const paint = painter(wantsColour(process.stdout, process.env));

/** Event type and action of what is sent; the first example of each. */
const SENT = [
  ["issues", "opened"],
  ["issue_comment", "created"],
  ["pull_request", "opened"],
  ["push", undefined],
  ["workflow_run", "completed"],
  ["discussion", "created"],
];

// `npm run demo | head`: whoever reads has seen enough.
process.stdout.on("error", () => process.exit(0));

try {
  await demo();
} catch (error) {
  process.stderr.write(`\n${error.message}\n`);
  process.exitCode = 1;
}

async function demo() {
  const server = findServer();
  await checkServer(server);

  step(`GitHub delivers ${SENT.length} events`, `POST ${server.url}/webhooks/github${server.secret ? ", signed" : ""}`);
  for (const [type, action] of SENT) await deliver(server, type, action);

  const client = new Client({ name: "demo", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${server.token}` } },
  });
  await client.connect(transport);
  const ask = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [text] = /** @type {{ text: string }[]} */ (result.content);
    if (result.isError) throw new Error(`${name} failed: ${text?.text}`);
    return JSON.parse(text?.text ?? "null");
  };
  try {
    await lookAround(ask);
  } finally {
    await client.close();
  }
}

/** What an agent does: is there anything, what is it, this one in full, done with it. */
async function lookAround(ask) {
  step("An agent asks whether anything is waiting", "get_pending_status");
  showStatus(await ask("get_pending_status"));

  step("It looks at the newest", `list_pending_events {"limit": ${SENT.length}}`);
  const events = await ask("list_pending_events", { limit: SENT.length });
  for (const event of events) {
    say(`${paint(what(event).padEnd(24), "cyan")} ${plain(event.title ?? "")}`);
    const where = [event.repo, `by ${event.sender}`, event.url].filter(Boolean).join("  ");
    say(paint(`${"".padEnd(24)} ${plain(where)}`, "dim"));
  }

  const chosen = events.find(({ type }) => type === "issues") ?? events[0];
  step("It reads one in full", `get_event {"event_id": "${chosen.id}"}`);
  const event = await ask("get_event", { event_id: chosen.id });
  const text = JSON.stringify(event.payload, null, 2);
  for (const line of excerpt(event.payload).split("\n")) say(plain(line));
  say(paint(`… the whole payload has ${text.length.toLocaleString("en")} characters`, "dim"));

  step("It marks it as done", `mark_processed {"event_id": "${chosen.id}"}`);
  say(JSON.stringify(await ask("mark_processed", { event_id: chosen.id })));
  showStatus(await ask("get_pending_status"));
  say("");
}

/** Where `npm start` runs, and with which token and secret. */
function findServer() {
  const directory = stateDirectory(root, process.env.STATE_DIR);
  const running = runningServer(directory);
  const url = process.env.PORT || !running ? `http://127.0.0.1:${readPort(process.env.PORT)}` : running.url;
  const token = process.env.LOCAL_TOKEN || running?.token || keptToken(directory);
  const settings = mergeSettings(process.env, readDevVars(join(root, ".dev.vars")));
  return { url, token, secret: settings.GITHUB_WEBHOOK_SECRET };
}

function keptToken(directory) {
  try {
    return readFileSync(join(directory, "local-token"), "utf8").trim();
  } catch {
    return "";
  }
}

async function checkServer({ url, token, secret }) {
  let health;
  try {
    const answer = await fetch(`${url}/healthz`);
    health = /** @type {Record<string, unknown>} */ (await answer.json());
  } catch {
    throw new Error(
      `No server answers at ${url}. Start one in another terminal: npm start (with the same PORT and STATE_DIR).`,
    );
  }
  if (health.status !== "ok") throw new Error(`The server at ${url} can't serve: ${JSON.stringify(health)}`);
  if (health.signature === "on" && !secret) {
    throw new Error("The server checks signatures: run the demo with the same GITHUB_WEBHOOK_SECRET.");
  }
  const answer = await fetch(`${url}/api/pending-status`, { headers: { Authorization: `Bearer ${token}` } });
  if (answer.status === 401) {
    throw new Error(
      `The server at ${url} does not know our token: run the demo with the same STATE_DIR or LOCAL_TOKEN.`,
    );
  }
}

async function deliver({ url, secret }, type, action) {
  const body = JSON.stringify(example(type, action));
  const signature = secret && `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const answer = await fetch(`${url}/webhooks/github`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "GitHub-Hookshot/demo",
      "X-GitHub-Event": type,
      "X-GitHub-Delivery": randomUUID(),
      "X-GitHub-Hook-ID": "1",
      "X-GitHub-Hook-Installation-Target-Type": "repository",
      ...(signature && { "X-Hub-Signature-256": signature }),
    },
    body,
  });
  const text = await answer.text();
  if (answer.status !== 202) throw new Error(`The server answered ${answer.status} to ${type}: ${text}`);
  say(`${paint(what({ type, action }).padEnd(24), "cyan")} ${answer.status} ${text}`);
}

function example(type, action) {
  /** @type {{ name: string, examples: any[] }[]} */
  const all = createRequire(import.meta.url)("@octokit/webhooks-examples");
  const examples = all.find(({ name }) => name === type)?.examples ?? [];
  return examples.find((payload) => payload.action === action) ?? examples[0];
}

function what({ type, action }) {
  return action ? `${type} ${action}` : type;
}

/** The part of a payload that a person would look at first. */
function excerpt({ action, issue, repository, sender }) {
  const part = {
    action,
    issue: issue && { number: issue.number, title: issue.title, body: issue.body, user: issue.user?.login },
    repository: repository?.full_name,
    sender: sender?.login,
  };
  return JSON.stringify(part, null, 2);
}

function showStatus({ pending_count, latest_received_at, types }) {
  const perType = Object.entries(types).map(([type, count]) => `${type} ${count}`);
  const newest = latest_received_at ? `, the newest from ${new Date(latest_received_at).toLocaleTimeString()}` : "";
  say(`${pending_count} pending${newest}${perType.length > 0 ? `: ${perType.join(", ")}` : ""}`);
}

function step(title, call) {
  console.log(`\n${paint(title, "bold")}  ${paint(call, "dim")}`);
}

function say(line) {
  console.log(`  ${line}`);
}

/** Titles and bodies come from strangers: nothing in them may steer the terminal. */
function plain(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return String(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "\ufffd");
}
