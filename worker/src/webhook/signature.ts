/**
 * `X-Hub-Signature-256`: HMAC-SHA256 over the raw bytes of the body.
 *
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 *
 * Web Crypto with a kept key takes 3 µs for 200 bytes where node:crypto takes 7–11, and the same for large bodies
 * (16 ms for 25 MB). Its `verify` compares in constant time.
 */
import { BoundedMap } from "../bounded-map.ts";

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/** Imported keys by secret: an isolate sees one, or two during a rotation. */
const keys = new BoundedMap<string, CryptoKey>(8);

async function hmacKey(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), HMAC, false, ["verify"]);
  keys.set(secret, key);
  return key;
}

/**
 * Whether `header` signs `body` with one of the secrets. The header's form is checked before any cryptography runs.
 *
 * @param header value of `X-Hub-Signature-256`, null where it is missing. The SHA-1 header is never enough.
 * @param secrets the one in force first, then a previous one that is still accepted
 */
export async function validSignature(
  body: Uint8Array,
  header: string | null,
  secrets: readonly string[],
): Promise<boolean> {
  const hex = header === null ? undefined : SIGNATURE.exec(header)?.[1];
  if (hex === undefined) return false;
  const signature = Buffer.from(hex, "hex");
  for (const secret of secrets) {
    if (await crypto.subtle.verify(HMAC, await hmacKey(secret), signature, body)) return true;
  }
  return false;
}
