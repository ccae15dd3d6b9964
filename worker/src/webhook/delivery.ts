/**
 * What the headers of a delivery say: which event it is, which delivery, and which hook sent it.
 *
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
 *
 * The signature covers only the body, so that nothing here is more than a name; what decides about a tenant comes from
 * the signed payload.
 */
import { createHash, randomBytes } from "node:crypto";

/** GitHub's event names are lower-case words with underscores; whatever comes is shown to agents, so it stays short. */
const EVENT_NAME = /^[A-Za-z0-9_-]{1,100}$/;

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A delivery's headers, typed. */
export interface Delivery {
  /** `X-GitHub-Event`; null where it is missing or not a name. */
  event: string | null;
  /** `X-GitHub-Delivery` as it came, null if it did not. */
  deliveryId: string | null;
  /** The delivery id in lower case where it is a well-formed GUID. */
  guid: string | null;
  /** What the hook is installed on: `integration`, `repository`, `organization` … */
  hookTargetType: string | null;
  hookTargetId: string | null;
  /** 24 bytes that name the delivery: see {@link deliveryKey}. */
  key: Uint8Array;
}

/** Reads a delivery's headers. */
export function readDelivery(headers: Headers): Delivery {
  const event = headers.get("X-GitHub-Event");
  const deliveryId = headers.get("X-GitHub-Delivery") || null;
  const guid = deliveryId !== null && GUID.test(deliveryId) ? deliveryId.toLowerCase() : null;
  const hookTargetType = headers.get("X-GitHub-Hook-Installation-Target-Type");
  const hookTargetId = headers.get("X-GitHub-Hook-Installation-Target-ID");
  const host = headers.get("X-GitHub-Enterprise-Host");
  return {
    event: event !== null && EVENT_NAME.test(event) ? event : null,
    deliveryId,
    guid,
    hookTargetType,
    hookTargetId,
    key: deliveryKey({ guid, deliveryId, host, hookTargetType, hookTargetId }),
  };
}

/**
 * The key that makes a redelivery a duplicate: 16 bytes of the delivery and 8 of where it came from. GitHub uses one
 * delivery GUID for all Apps that receive an event, so the GUID alone does not name a delivery.
 *
 * The first 16 bytes are the GUID's own; of another form of id (some servers count, or use the time) a digest; of
 * none at all random, since two deliveries without an id can't be told to be one.
 */
function deliveryKey(
  of: Pick<Delivery, "guid" | "deliveryId" | "hookTargetType" | "hookTargetId"> & { host: string | null },
): Uint8Array {
  const key = new Uint8Array(24);
  if (of.guid !== null) key.set(Buffer.from(of.guid.replaceAll("-", ""), "hex"));
  else if (of.deliveryId !== null) key.set(digest(of.deliveryId, 16));
  else key.set(randomBytes(16));
  key.set(digest(`${of.host?.toLowerCase() ?? ""}\0${of.hookTargetType ?? ""}\0${of.hookTargetId ?? ""}`, 8), 16);
  return key;
}

function digest(text: string, bytes: number): Uint8Array {
  return createHash("sha256").update(text).digest().subarray(0, bytes);
}
