/** The secrets of one sign-in (RFC 7636), and the code that a person compares. */
import { createHash, randomBytes } from "node:crypto";

export interface SignInSecrets {
  state: string;
  codeVerifier: string;
  codeChallenge: string;
}

export function newSignIn(): SignInSecrets {
  const codeVerifier = randomBytes(32).toString("base64url");
  return {
    state: randomBytes(24).toString("base64url"),
    codeVerifier,
    codeChallenge: createHash("sha256").update(codeVerifier).digest("base64url"),
  };
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * The code that stands on the consent page as well: the first 8 Crockford-base32 characters of
 * SHA-256("web-auth-code:" + state + "." + code_challenge), as XXXX-XXXX.
 */
export function shortCode({ state, codeChallenge }: Pick<SignInSecrets, "state" | "codeChallenge">): string {
  const digest = createHash("sha256").update(`web-auth-code:${state}.${codeChallenge}`).digest();
  const bits = digest.readUIntBE(0, 5);
  const characters = Array.from({ length: 8 }, (_, i) => CROCKFORD[Math.floor(bits / 32 ** (7 - i)) % 32]);
  return `${characters.slice(0, 4).join("")}-${characters.slice(4).join("")}`;
}
