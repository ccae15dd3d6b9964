import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { newSignIn, shortCode } from "./pkce.ts";

it("makes a new state and a verifier of RFC 7636 each time, with its S256 challenge", () => {
  const [one, other] = [newSignIn(), newSignIn()];
  expect(one.codeVerifier).toMatch(/^[\w-]{43}$/);
  expect(one.codeChallenge).toBe(createHash("sha256").update(one.codeVerifier).digest("base64url"));
  expect(new Set([one.state, one.codeVerifier, other.state, other.codeVerifier]).size).toBe(4);
});

it("has the short code of the consent page", () => {
  // SHA-256("web-auth-code:state.challenge") begins with these 40 bits, five for each character.
  const bits = createHash("sha256").update("web-auth-code:state.challenge").digest().subarray(0, 5);
  const binary = [...bits].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const characters = binary.match(/.{5}/g)!.map((five) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[Number.parseInt(five, 2)]);
  const code = shortCode({ state: "state", codeChallenge: "challenge" });
  expect(code.replace("-", "")).toBe(characters.join(""));
  expect(code).toMatch(/^.{4}-.{4}$/);
});
