/**
 * `POST /webhooks/github`: a delivery from GitHub on its way into its tenant's store.
 *
 * The gates stand in the order in which they must be passed (F1.6): what is cheap and needs no body first, then proof
 * of where the bytes come from, and only then a look at what they say. A delivery is answered 202 once it is stored;
 * whatever goes wrong on our side is a 503, so that GitHub shows it as failed and it can be delivered again.
 */
import { eventFacts } from "@github-webhook-mcp/shared/event-facts.ts";
import { searchText } from "@github-webhook-mcp/shared/search-text.ts";
import { summarizePayload } from "@github-webhook-mcp/shared/summarize.ts";
import { type Config, type IpAllowlist, localMode } from "../config.ts";
import { type IpAddress, isLoopback, parseAddress } from "../ip-range.ts";
import { errorText, type LogFields, log } from "../log.ts";
import { readBody } from "../payload/body.ts";
import { pack } from "../payload/codec.ts";
import { parsePayload } from "../payload/parse.ts";
import type { AccessChangesPort, IngestDelivery, IngestResult, RegistryPort, StorePort } from "../ports.ts";
import { RateLimiter, rateKey } from "../rate-limit.ts";
import { retryOnReset } from "../retry.ts";
import { NO_REPOSITORY } from "../viewer.ts";
import { accessChange } from "./access-change.ts";
import { readDelivery } from "./delivery.ts";
import { allowedAddress, HookRanges } from "./github-ip.ts";
import { fromApp, takeOverChange } from "./lifecycle.ts";
import { MAX_BODY_BYTES, type Rejection, rejectionResponse } from "./rejection.ts";
import { validSignature } from "./signature.ts";
import { KnownTenants, tenantOf } from "./tenant-gate.ts";

/** What the receiver remembers between requests. Make one for each isolate; losing it costs time, nothing else. */
export class ReceiverMemory {
  readonly hookRanges = new HookRanges();
  readonly limiter = new RateLimiter();
  readonly tenants = new KnownTenants();
  /** Whether this isolate has said that signatures are not checked. */
  warnedUnsigned = false;
}

export interface WebhookDeps {
  config: Config;
  registry: Pick<RegistryPort, "resolve" | "admit" | "apply">;
  /** The store of an account, reached anew by each call. */
  stores: { store(accountId: number): Pick<StorePort, "ingest"> };
  /** The grants that a change of access concerns. */
  access: AccessChangesPort;
  memory: ReceiverMemory;
  /** Keeps work alive after the answer. */
  waitUntil(work: Promise<unknown>): void;
  /** Milliseconds since the epoch. */
  now(): number;
}

type Outcome = { rejection: Rejection } | { accepted: Extract<IngestResult, { id: string }> };

/** Answers a request for `/webhooks/github`. Never throws, and never answers 500. */
export async function webhookRoute(request: Request, deps: WebhookDeps): Promise<Response> {
  let outcome: Outcome;
  try {
    outcome = await receive(request, deps);
  } catch (error) {
    log("error", "webhook_failed", { ...names(request), error: errorText(error) });
    return rejectionResponse({ kind: "unavailable" });
  }
  if ("rejection" in outcome) {
    log("warn", "webhook_rejected", { ...names(request), reason: outcome.rejection.kind });
    return rejectionResponse(outcome.rejection);
  }
  const { id, outcome: stored } = outcome.accepted;
  return Response.json(stored === "duplicate" ? { accepted: true, id, duplicate: true } : { accepted: true, id }, {
    status: 202,
  });
}

async function receive(request: Request, deps: WebhookDeps): Promise<Outcome> {
  const { config, memory } = deps;
  const local = localMode(config, new URL(request.url));

  if (request.method !== "POST") return reject({ kind: "method" });
  if (Number(request.headers.get("Content-Length")) > MAX_BODY_BYTES) return reject({ kind: "too-large" });

  const client = clientOf(request, config, local);
  const hookRanges = () => memory.hookRanges.current(config.githubApiUrl, deps.now(), deps.waitUntil);
  if (!(await allowedAddress(client.address, client.allowlist, hookRanges))) return reject({ kind: "address" });

  const key = rateKey(client.address);
  if (memory.limiter.exceeded(key, config.webhookRatePerMinute, deps.now())) return reject({ kind: "rate" });
  if (client.chargedAlways) memory.limiter.charge(key, deps.now());

  const body = await readBody(request, MAX_BODY_BYTES);
  if ("rejection" in body) return reject(body.rejection);

  const signed = config.webhookSecrets.length > 0;
  if (!signed) warnUnsigned(memory, local);
  else if (!(await validSignature(body.bytes, request.headers.get("X-Hub-Signature-256"), config.webhookSecrets))) {
    if (!client.chargedAlways) memory.limiter.charge(key, deps.now());
    return reject({ kind: "signature" });
  }

  const payload = parsePayload(body.bytes, request.headers.get("Content-Type"));
  if ("rejection" in payload) return reject(payload.rejection);

  const delivery = readDelivery(request.headers);
  const { event } = delivery;
  if (event === null) return reject({ kind: "event-name" });

  const facts = eventFacts(payload.value);
  const trusted = signed || local;
  const tenant = await tenantOf(facts, trusted, deps.registry, memory.tenants);
  if ("rejection" in tenant) return tenant;

  const byApp = trusted && fromApp(delivery, config.githubAppId);
  const lifecycle = byApp ? await takeOverChange(event, facts, payload.value, deps.registry) : undefined;
  // Before it is stored, and waited for: if it fails, the redelivery does both again.
  const change = byApp ? accessChange(event, facts, payload.value) : null;
  if (change !== null) await deps.access.apply(change);

  const ingest: IngestDelivery = {
    accountId: tenant.accountId,
    key: delivery.key,
    guid: delivery.guid,
    deliveryId: delivery.deliveryId,
    type: event,
    repository: facts.repository?.id ?? NO_REPOSITORY,
    repositoryName: facts.repository?.fullName ?? null,
    ...described(event, payload.value),
    payload: pack(payload.json),
    quotaExempt: event.startsWith("installation"),
    lifecycle,
  };
  // The store's own dedupe makes a second call harmless.
  const result = await retryOnReset(() => deps.stores.store(tenant.accountId).ingest(ingest));
  if (result.outcome === "quota") return reject({ kind: "quota", retryAfterSeconds: result.retryAfterSeconds });
  return { accepted: result };
}

function reject(rejection: Rejection): Outcome {
  return { rejection };
}

interface Client {
  address: IpAddress | null;
  /** The allowlist that holds for this request. */
  allowlist: IpAllowlist;
  /** Every request counts against the address's rate, not only those whose signature fails. */
  chargedAlways: boolean;
}

/**
 * Who is calling, and by which rules. GitHub sends everyone's events from a handful of addresses, so that an address
 * on the allowlist is charged for failed signatures only; with the allowlist off nothing is known about an address.
 */
function clientOf(request: Request, config: Config, local: boolean): Client {
  const address = parseAddress(request.headers.get("CF-Connecting-IP") ?? "");
  // This machine itself, a tunnel's end included: Cloudflare never names a loopback address, `npm start` nothing else.
  const ownMachine = config.localModeAsked && (address === null ? local : isLoopback(address));
  const allowlist: IpAllowlist = local || ownMachine ? { mode: "off" } : config.ipAllowlist;
  return { address, allowlist, chargedAlways: allowlist.mode === "off" && !ownMachine };
}

function warnUnsigned(memory: ReceiverMemory, local: boolean): void {
  if (memory.warnedUnsigned) return;
  memory.warnedUnsigned = true;
  log("warn", "webhook_signature_off", { local, hint: "set GITHUB_WEBHOOK_SECRET to check signatures" });
}

/** What lists and search show of an event. */
function described(event: string, payload: unknown): Pick<IngestDelivery, "summary" | "text"> {
  const summary = summarizePayload(event, payload);
  return { summary: JSON.stringify(summary), text: searchText(event, payload, summary) };
}

/** What names a delivery in the log: headers only, cut to a line's length. */
function names(request: Request): LogFields {
  const header = (name: string) => request.headers.get(name)?.slice(0, 100);
  return {
    github_event: header("X-GitHub-Event"),
    delivery: header("X-GitHub-Delivery"),
    address: header("CF-Connecting-IP"),
  };
}
