/**
 * The secrets of sign-in: how they look, how they are looked up, and how things are sealed with them.
 *
 * A secret is 32 random bytes behind a prefix by which secret scanners know it; two digits after the prefix are the
 * shard that it belongs to. It is stored nowhere: records are keyed by its SHA-256, and what has to be given out again
 * is sealed (AES-256-GCM) with a key derived from it (HKDF), so that the storage alone opens nothing.
 *
 * Synchronous cryptography on purpose: a check and the writes that follow from it stay one step that nothing comes
 * between.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/** Objects that the records are spread over. A number may grow; a shard that exists must stay reachable. */
export const SHARDS = 16;

const PREFIXES = {
  access: "ghwm_at_",
  refresh: "ghwm_rt_",
  code: "ghwm_ac_",
  /** One visit to the consent page; also the `state` that GitHub is given. */
  transaction: "ghwm_tx_",
  /** A browser that signed in to the page of grants. */
  session: "ghwm_gs_",
} as const;

export type SecretKind = keyof typeof PREFIXES;

/** A new secret of a kind, in a shard. */
export function mintSecret(kind: SecretKind, shard: number): string {
  return PREFIXES[kind] + shardDigits(shard) + randomBytes(32).toString("base64url");
}

/** A new id of a grant: no secret, and not to be guessed either. */
export function mintGrantId(shard: number): string {
  return `g${shardDigits(shard)}${randomBytes(12).toString("base64url")}`;
}

/** A value for a cookie: it is only ever compared. */
export function mintCookie(): string {
  return randomBytes(32).toString("base64url");
}

/** The shard of a secret that has the form of its kind; null for any other text. */
export function shardOfSecret(kind: SecretKind, text: string): number | null {
  const prefix = PREFIXES[kind];
  return text.startsWith(prefix) ? shardOf(text.slice(prefix.length), 43) : null;
}

/** The shard of a grant id; null for any other text. */
export function shardOfGrant(id: string): number | null {
  return id.startsWith("g") ? shardOf(id.slice(1), 16) : null;
}

/** The shard of what carries no number: a client id, the state of a poll flow. The same for ever. */
export function shardOfText(text: string): number {
  return createHash("sha256").update(text).digest()[0]! % SHARDS;
}

function shardDigits(shard: number): string {
  return shard.toString(16).padStart(2, "0");
}

function shardOf(text: string, length: number): number | null {
  if (text.length !== length + 2 || !/^[0-9a-f]{2}[\w-]+$/.test(text)) return null;
  const shard = Number.parseInt(text.slice(0, 2), 16);
  return shard < SHARDS ? shard : null;
}

/** What stands in a key in place of a secret: its SHA-256, base64url. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Whether a secret is the one of this hash, in time that does not depend on where they differ. */
export function isSecretOf(hash: string, secret: string): boolean {
  const given = hashOf(secret);
  return given.length === hash.length && timingSafeEqual(Buffer.from(given), Buffer.from(hash));
}

/** Whether a verifier belongs to an S256 challenge (RFC 7636 §4.6): the same function as {@link hashOf}. */
export const isVerifierOf = isSecretOf;

/** What the sealed text is for: a key of its own for each, so that one can't be passed off as another. */
export type SealPurpose = "next-pair" | "github-token" | "github-key" | "client-state" | "outcome";

/** Encrypts a text so that only who has the secret can read it. */
export function seal(secret: string, purpose: SealPurpose, text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, purpose), iv);
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

/** Reverses {@link seal}. Throws for anything that was not sealed with this secret for this purpose. */
export function unseal(secret: string, purpose: SealPurpose, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, purpose), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString("utf8");
}

/** A random key in the form that {@link seal} takes as a secret. */
export function mintKey(): string {
  return randomBytes(32).toString("base64url");
}

/** Secrets are random, so that HKDF needs no salt (RFC 5869 §3.1). */
function keyOf(secret: string, purpose: SealPurpose): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `github-webhook-mcp/${purpose}`, 32));
}
