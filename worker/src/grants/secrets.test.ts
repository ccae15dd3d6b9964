import { describe, expect, test } from "vitest";
import {
  hashOf,
  isVerifierOf,
  mintGrantId,
  mintSecret,
  SHARDS,
  seal,
  shardOfGrant,
  shardOfSecret,
  shardOfText,
  unseal,
} from "./secrets.ts";

describe("a secret", () => {
  test("carries its kind and its shard in front of 32 random bytes", () => {
    const secret = mintSecret("access", 11);
    expect(secret).toMatch(/^ghwm_at_0b[\w-]{43}$/);
    expect(shardOfSecret("access", secret)).toBe(11);
    expect(mintSecret("access", 11)).not.toBe(secret);
    expect(shardOfGrant(mintGrantId(3))).toBe(3);
  });

  test("of another kind, form or shard names no shard", () => {
    const secret = mintSecret("refresh", 1);
    expect(shardOfSecret("access", secret)).toBeNull();
    expect(shardOfSecret("refresh", `${secret}x`)).toBeNull();
    expect(shardOfSecret("refresh", secret.replace("_01", "_ff"))).toBeNull();
    expect(shardOfSecret("refresh", secret.replace("_01", "_-1"))).toBeNull();
    expect(shardOfGrant("g")).toBeNull();
  });

  test("opens what was sealed with it for that purpose, and nothing else", () => {
    const sealed = seal("secret", "next-pair", "ä text");
    expect(unseal("secret", "next-pair", sealed)).toBe("ä text");
    expect(seal("secret", "next-pair", "ä text")).not.toBe(sealed);
    expect(() => unseal("other", "next-pair", sealed)).toThrow();
    expect(() => unseal("secret", "outcome", sealed)).toThrow();
    const changed = Buffer.from(sealed, "base64url");
    changed[14]! ^= 1;
    expect(() => unseal("secret", "next-pair", changed.toString("base64url"))).toThrow();
  });
});

test("texts spread over all shards, each always to the same", () => {
  const shards = Array.from({ length: 500 }, (_, i) => shardOfText(`client-${i}`));
  expect(new Set(shards).size).toBe(SHARDS);
  expect(shardOfText("client-7")).toBe(shards[7]);
});

test("a verifier and its S256 challenge: the example of RFC 7636, appendix B", () => {
  const challenge = "E9Melhoa2OwvFrEMTJguCM-cM-not-the-right-one";
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  expect(hashOf(verifier)).toBe("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  expect(isVerifierOf("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", verifier)).toBe(true);
  expect(isVerifierOf(challenge, verifier)).toBe(false);
});
