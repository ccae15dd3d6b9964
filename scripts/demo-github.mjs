/**
 * `npm run demo:github`: sign-in from end to end, on this machine. Starts a stand-in GitHub and the Worker with a GitHub
 * App's settings, signs two people in as a browser would, lets GitHub deliver signed events, and shows what each of the
 * two sees, before and after one of them loses a repository. Everything it starts ends with it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { MemoryProvider } from "../test/clients/oauth/memory-provider.ts";
import { startStage } from "../test/clients/worker.ts";
import { Person } from "../test/github/person.ts";
import { SMALL_WORLD } from "../test/github/worlds.ts";
import { painter, wantsColour } from "./start/banner.mjs";

const paint = painter(wantsColour(process.stdout, process.env));

/** A loopback address at which a program would wait for the browser; here the address itself is enough. */
const REDIRECT = "http://127.0.0.1:49152/callback";
const atProgram = (url) => url.href.startsWith(REDIRECT);

const TOKEN_CHECK_MS = 5_500;

/** @type {import("../test/github/start.ts").Occurrence[]} */
const OCCURRENCES = [
  { event: "issues", action: "opened", repository: "acme/rocket", sender: "mona" },
  { event: "pull_request", action: "opened", repository: "acme/website", sender: "guest" },
  { event: "push", repository: "acme/payroll", sender: "mona" },
  { event: "workflow_run", action: "completed", repository: "acme/rocket", sender: "mona" },
  { event: "issue_comment", action: "created", repository: "globex/reactor", sender: "hubot" },
];

step("GitHub and the Worker start", "a stand-in for GitHub, and npm start with its App's settings");
const starting = startStage(SMALL_WORLD);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () =>
    starting
      .then((stage) => stage.close())
      .catch(() => {})
      .then(() => process.exit(130)),
  );
}
const stage = await starting;
try {
  say(`GitHub  ${stage.github.url}`);
  say(`Worker  ${stage.url}`);
  await demo();
} catch (error) {
  process.stderr.write(`\n${error.stack}\n\n${stage.log()}\n`);
  process.exitCode = 1;
} finally {
  await stage.close();
}

async function demo() {
  step("Two people sign in", "401 → metadata → registration → consent → GitHub → code → token");
  const mona = await signIn("mona", "owner of the organization acme");
  const guest = await signIn("guest", "collaborator on acme/website, from outside");

  step(`GitHub delivers ${OCCURRENCES.length} events`, "POST /webhooks/github, signed");
  for (const occurrence of OCCURRENCES) {
    const sent = await stage.github.deliver(occurrence);
    say(`${paint(what(occurrence).padEnd(24), "cyan")} ${occurrence.repository.padEnd(16)} ${sent?.status}`);
  }

  step("What each of them sees", "list_pending_events");
  await show(mona);
  await show(guest);

  step("guest is removed from acme/website", "GitHub tells it by a webhook; nobody signs in again");
  const told = await stage.github.change({ kind: "remove-collaborator", repository: "acme/website", user: "guest" });
  say(`${paint("member removed".padEnd(24), "cyan")} ${"acme/website".padEnd(16)} ${told?.status}`);
  say(paint("(five seconds later: that long the check of a token may be remembered)", "dim"));
  await pause(TOKEN_CHECK_MS);
  await show(mona);
  await show(guest);
  say("");
}

/** What an MCP client does when it meets a server that wants a sign-in, with the SDK's own client. */
async function signIn(login, role) {
  const provider = new MemoryProvider(REDIRECT);
  const address = new URL(`${stage.url}/mcp`);
  const transport = new StreamableHTTPClientTransport(address, { authProvider: /** @type {any} */ (provider) });
  const refused = await new Client({ name: "demo", version: "1.0.0" }).connect(transport).then(
    () => null,
    (error) => error,
  );
  if (!provider.link) throw refused ?? new Error("the Worker asked for no sign-in");
  const { url } = await new Person(login, atProgram).signIn(provider.link);
  await transport.finishAuth(url.searchParams);
  say(`${paint(login.padEnd(8), "bold")} ${paint(role, "dim")}`);
  return { login, provider, address };
}

async function show({ login, provider, address }) {
  const client = new Client({ name: "demo", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(address, { authProvider: provider }));
  const { structuredContent } = await client.callTool({ name: "list_pending_events", arguments: {} });
  await client.close();
  const { events } = /** @type {{ events: { type: string, repo: string | null }[] }} */ (structuredContent);
  const perEvent = events.map(({ type, repo }) => `${type} in ${repo ?? "the account"}`);
  say(
    `${paint(login.padEnd(8), "bold")} ${events.length} pending${perEvent.length > 0 ? `: ${perEvent.join(", ")}` : ""}`,
  );
}

/** @param {{ event: string, action?: string }} occurrence */
function what({ event, action }) {
  return action ? `${event} ${action}` : event;
}

function step(title, call) {
  console.log(`\n${paint(title, "bold")}  ${paint(call, "dim")}`);
}

function say(line) {
  console.log(`  ${line}`);
}
