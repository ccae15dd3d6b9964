/**
 * The code that a person compares: the program that waits for a poll flow shows it, and so does the consent page.
 *
 * The first 8 Crockford-base32 characters of SHA-256("web-auth-code:" + state + "." + code_challenge), as XXXX-XXXX.
 */
import { createHash } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The short code of a poll flow. */
export function shortCode(state: string, challenge: string): string {
  const digest = createHash("sha256").update(`web-auth-code:${state}.${challenge}`).digest();
  // 8 characters of 5 bits are 40 bits, which a number holds.
  const bits = digest.readUIntBE(0, 5);
  const characters = Array.from({ length: 8 }, (_, i) => ALPHABET[Math.floor(bits / 32 ** (7 - i)) % 32]);
  return `${characters.slice(0, 4).join("")}-${characters.slice(4).join("")}`;
}
