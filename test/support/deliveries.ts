/** Deliveries as GitHub makes them: headers, raw bytes, a signature over the bytes. */
import { createHmac } from "node:crypto";
import { LOCAL, send, WEBHOOK_SECRET } from "./worker.ts";

let counter = 0;

/** The delivery GUID number `n`. */
export function guidOf(n: number): string {
  return `5eed0000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

/** A delivery GUID that no test has used yet. */
export function newGuid(): string {
  return guidOf(++counter);
}

export interface DeliveryOptions {
  /** `X-GitHub-Event`; null leaves the header out. */
  event?: string | null;
  guid?: string;
  /** Null: not signed. */
  secret?: string | null;
  hook?: { type: string; id: string };
  contentType?: string;
  /** On top of the others; null leaves one out. */
  headers?: Record<string, string | null>;
  url?: string;
}

/** `X-Hub-Signature-256` of a body. */
export function signature(bytes: Uint8Array, secret = WEBHOOK_SECRET): string {
  return `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
}

/** A signed delivery of the GitHub App. `body`: the raw bytes or text, or a value that is sent as JSON. */
export function deliveryRequest(body: unknown, options: DeliveryOptions = {}): Request {
  const { event = "issues", secret = WEBHOOK_SECRET, hook = { type: "integration", id: "42" } } = options;
  const bytes = bytesOf(body);
  const headers: Record<string, string | null> = {
    "User-Agent": "GitHub-Hookshot/044aadd",
    "Content-Type": options.contentType ?? "application/json",
    "X-GitHub-Event": event,
    "X-GitHub-Delivery": options.guid ?? newGuid(),
    "X-GitHub-Hook-ID": "292430182",
    "X-GitHub-Hook-Installation-Target-Type": hook.type,
    "X-GitHub-Hook-Installation-Target-ID": hook.id,
    "X-Hub-Signature-256": secret === null ? null : signature(bytes, secret),
    ...options.headers,
  };
  const present = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
  return new Request(options.url ?? `${LOCAL}/webhooks/github`, { method: "POST", headers: present, body: bytes });
}

/** Posts a delivery to the Worker in local mode. */
export function post(body: unknown, options?: DeliveryOptions): Promise<Response> {
  return send(deliveryRequest(body, options));
}

/** Posts a delivery that must be accepted, and gives the event's id. */
export async function deliver(body: unknown, options?: DeliveryOptions): Promise<string> {
  const response = await post(body, options);
  const text = await response.text();
  if (response.status !== 202) throw new Error(`delivery answered ${response.status}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return new Uint8Array(new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)));
}
