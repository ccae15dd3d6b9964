/** The checks of `doctor`, one after another: each needs what the ones before it found. */
import { createHmac, randomUUID } from "node:crypto";
import * as z from "zod";
import { type Connection, connect } from "../../channel/connection.ts";
import { isLoopback } from "../../config.ts";
import { NetworkError } from "../../network/network-error.ts";
import { parseJson } from "../../parse-json.ts";
import type { BridgeConfig } from "../../ports.ts";
import { within } from "../../within.ts";
import type { Parts } from "../parts.ts";

export interface Check {
  name: string;
  /** `unknown`: could not be looked at; the text says why. */
  result: "good" | "bad" | "unknown";
  text: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** More than this, and the certificates and the times of events begin to look wrong. */
const MAX_SKEW_MS = 5 * 60_000;
const TIMEOUT_MS = 10_000;
const EVENT_TIMEOUT_MS = 10_000;

/** What one of Anthropic's clients calls itself: a bot rule in front of a Worker may stop these alone. */
const AI_USER_AGENT = "Claude-User";

const health = z.object({ status: z.string(), version: z.string(), signature: z.string().optional() });

export async function* checks(config: BridgeConfig, parts: Parts, env: Environment): AsyncGenerator<Check> {
  yield await stateFolder(config, parts);
  const reached = await reachable(config, parts);
  yield* reached.checks;
  if (!reached.ok) return;
  yield await aiUserAgents(config, parts);

  const answer = await parts.access.token({ interactive: false });
  if (answer.outcome !== "token") {
    const text = answer.outcome === "sign-in" ? "under way" : answer.sentence;
    yield { name: "sign-in", result: "bad", text: `${text} ("npx github-webhook-mcp login" signs in.)` };
    yield* notLookedAt("a sign-in");
    return;
  }
  yield { name: "sign-in", result: "good", text: "there is a token, and it is fresh" };
  yield* stream(config, parts, answer.token, env);
}

function* notLookedAt(need: string): Generator<Check> {
  for (const name of ["stream", "test event"]) {
    yield { name, result: "unknown", text: `not looked at: it needs ${need}` };
  }
}

/** Whether a sign-in can be kept. */
async function stateFolder({ stateDirectory }: BridgeConfig, { state }: Parts): Promise<Check> {
  const name = "state folder";
  const error = await state.diskProblem();
  if (error === null) return { name, result: "good", text: `${stateDirectory} can be written to` };
  const text = `${stateDirectory} can't be written to (${error}): a sign-in is forgotten with each process. Make it writable for this user.`;
  return { name, result: "bad", text };
}

async function reachable({ workerUrl }: BridgeConfig, { network }: Parts): Promise<{ ok: boolean; checks: Check[] }> {
  const name = "Worker";
  const bad = (text: string) => ({ ok: false, checks: [{ name, result: "bad" as const, text }] });
  let response: Response;
  let text: string;
  const asked = Date.now();
  try {
    response = await network.fetch(`${workerUrl}/healthz`, { timeoutMs: TIMEOUT_MS });
    text = await response.text();
  } catch (error) {
    return bad((error as Error).message);
  }
  const parsed = health.safeParse(parseJson(text));
  if (!parsed.success) {
    return bad(
      `what answers at ${workerUrl}/healthz (HTTP ${response.status}) is not github-webhook-mcp. Check WEBHOOK_WORKER_URL, and that no sign-in page stands in front of it.`,
    );
  }
  const { status, version, signature } = parsed.data;
  if (status !== "ok") {
    return bad(
      `it runs version ${version}, but its configuration can't be understood; its own log says what is wrong.`,
    );
  }
  const found: Check[] = [{ name, result: "good", text: `version ${version} answers` }];
  if (signature === "off") {
    const warning = "signatures of webhooks are not checked there. Set GITHUB_WEBHOOK_SECRET, but for trying out.";
    found.push({ name: "signature", result: "unknown", text: warning });
  }
  found.push(clock(response.headers.get("date"), asked));
  return { ok: true, checks: found };
}

/** Compares this machine's clock with the Date of an answer (RFC 9110 §6.6.1: whole seconds). */
function clock(date: string | null, asked: number): Check {
  const name = "clock";
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return { name, result: "unknown", text: "the Worker's answer carries no date" };
  const skew = (asked + Date.now()) / 2 - theirs;
  if (Math.abs(skew) <= MAX_SKEW_MS) return { name, result: "good", text: "agrees with the Worker's" };
  const minutes = Math.round(Math.abs(skew) / 60_000);
  const text = `this machine's clock is ${minutes} minutes ${skew > 0 ? "ahead of" : "behind"} the Worker's. Sign-in works all the same; set the clock, or certificates will fail.`;
  return { name, result: "bad", text };
}

/** Cloudflare's bot rules answer at the edge, before the Worker and without a line in its log. */
async function aiUserAgents({ workerUrl }: BridgeConfig, { network }: Parts): Promise<Check> {
  const name = "AI clients";
  try {
    const response = await network.fetch(`${workerUrl}/healthz`, {
      headers: { "user-agent": AI_USER_AGENT },
      timeoutMs: TIMEOUT_MS,
    });
    await response.body?.cancel();
    if (response.ok) return { name, result: "good", text: "requests that call themselves one come through" };
    const { status } = response;
    if (status !== 403) {
      const text = `a request with the User-Agent ${AI_USER_AGENT} got HTTP ${status}, one without it did not. Run doctor again.`;
      return { name, result: "unknown", text };
    }
    const text = `requests with the User-Agent ${AI_USER_AGENT} are refused (HTTP 403), before they reach the Worker. In Cloudflare's dashboard, under Security, Bots, switch "Block AI bots" off for this host name.`;
    return { name, result: "bad", text };
  } catch (error) {
    return { name, result: "unknown", text: (error as Error).message };
  }
}

/** Connects to the stream, and sends an event through it where that is possible. */
async function* stream(config: BridgeConfig, parts: Parts, token: string, env: Environment): AsyncGenerator<Check> {
  const name = "stream";
  const beginning = deferred<true>();
  const events = new Set<string>();
  let onEvent: (id: string) => void = (id) => events.add(id);
  const open = (accessToken: string): Promise<Connection> =>
    connect({
      network: parts.network,
      workerUrl: config.workerUrl,
      token: accessToken,
      cursor: null,
      handlers: {
        onConnected: () => beginning.resolve(true),
        onClock: () => {},
        onEvent: ({ event_id }) => onEvent(event_id),
      },
    });
  let connection: Connection | null = null;
  try {
    connection = await open(token).catch((error) => {
      if (isRefused(error)) return null;
      throw error;
    });
    if (connection === null) {
      // What the bridge does about a 401: only a renewed sign-in that is refused too is a dead one.
      parts.access.reject(token);
      const renewed = await parts.access.token({ interactive: false });
      if (renewed.outcome !== "token") {
        const text = renewed.outcome === "unavailable" ? renewed.sentence : "a sign-in is under way";
        yield {
          name: "renewal",
          result: "bad",
          text: `the Worker refuses the sign-in, and it can't be renewed: ${text}`,
        };
        yield* notLookedAt("a sign-in");
        return;
      }
      connection = await open(renewed.token);
      yield { name: "renewal", result: "good", text: "the Worker refused the old token, and takes the renewed one" };
    }
    if (!(await within(TIMEOUT_MS, beginning.promise))) {
      yield { name, result: "bad", text: "it opens, but says nothing. A proxy on the way may hold it back." };
      return;
    }
    yield { name, result: "good", text: "connects" };
    yield await testEvent(config, parts, env, (id) => {
      if (events.has(id)) return Promise.resolve(true as const);
      const arrived = deferred<true>();
      onEvent = (other) => other === id && arrived.resolve(true);
      return within(EVENT_TIMEOUT_MS, arrived.promise);
    }).catch((error): Check => ({ name: "test event", result: "bad", text: (error as Error).message }));
  } catch (error) {
    const hint = isRefused(error) ? ' Run "npx github-webhook-mcp logout", then "npx github-webhook-mcp login".' : "";
    yield { name, result: "bad", text: `${(error as Error).message}${hint}` };
  } finally {
    connection?.close();
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof NetworkError && error.status === 401;
}

/** A signed ping, as GitHub sends one: only for a Worker on this machine, whose secret stands in the environment. */
async function testEvent(
  { workerUrl }: BridgeConfig,
  { network }: Parts,
  { GITHUB_WEBHOOK_SECRET: secret }: Environment,
  arrival: (id: string) => Promise<true | null>,
): Promise<Check> {
  const name = "test event";
  if (!secret || !isLoopback(new URL(workerUrl).hostname)) {
    const text =
      "not sent: it needs the webhook secret. On GitHub, open the webhook's or App's settings, \"Recent deliveries\", and redeliver one; list_pending_events then shows it. (For a Worker on this machine: run doctor with GITHUB_WEBHOOK_SECRET set.)";
    return { name, result: "unknown", text };
  }
  const id = randomUUID();
  const body = JSON.stringify({ zen: "Sent by doctor.", hook_id: 1, sender: { login: "doctor", id: 0, type: "User" } });
  const response = await network.fetch(`${workerUrl}/webhooks/github`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "ping",
      "x-github-delivery": id,
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    body,
    timeoutMs: TIMEOUT_MS,
  });
  const text = await response.text();
  if (response.status !== 202) {
    return {
      name,
      result: "bad",
      text: `the Worker does not accept it (HTTP ${response.status}: ${text.slice(0, 100)})`,
    };
  }
  if (await arrival(id)) return { name, result: "good", text: "sent, and back through the stream" };
  return { name, result: "bad", text: "accepted, but it did not come back through the stream within 10 seconds" };
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
