import { createHmac } from "node:crypto";
import { expect, test, vi } from "vitest";
import { validSignature } from "./signature.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const sign = (secret: string, body: Uint8Array, hash = "sha256") =>
  `${hash}=${createHmac(hash, secret).update(body).digest("hex")}`;

// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
const SECRET = "It's a Secret to Everybody";
const BODY = bytes("Hello, World!");
const SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

test("GitHub's published test vector is valid, in either case of its digits", async () => {
  expect(await validSignature(BODY, SIGNATURE, [SECRET])).toBe(true);
  expect(await validSignature(BODY, `sha256=${SIGNATURE.slice(7).toUpperCase()}`, [SECRET])).toBe(true);
});

test("another body, another secret and no secret are not", async () => {
  expect(await validSignature(bytes("Hello, World?"), SIGNATURE, [SECRET])).toBe(false);
  expect(await validSignature(BODY, SIGNATURE, ["it's a Secret to Everybody"])).toBe(false);
  expect(await validSignature(BODY, SIGNATURE, [])).toBe(false);
});

test("each single bit of the signature counts", async () => {
  for (let digit = 7; digit < SIGNATURE.length; digit++) {
    const other = (Number.parseInt(SIGNATURE[digit]!, 16) ^ 1).toString(16);
    const forged = SIGNATURE.slice(0, digit) + other + SIGNATURE.slice(digit + 1);
    expect(await validSignature(BODY, forged, [SECRET]), `digit ${digit}`).toBe(false);
  }
});

test("during a rotation the old and the new secret sign, a third does not", async () => {
  const secrets = ["new", "old"];
  expect(await validSignature(BODY, sign("new", BODY), secrets)).toBe(true);
  expect(await validSignature(BODY, sign("old", BODY), secrets)).toBe(true);
  expect(await validSignature(BODY, sign("third", BODY), secrets)).toBe(false);
});

test("a malformed header, SHA-1 among them, is refused before any cryptography runs", async () => {
  const verify = vi.spyOn(crypto.subtle, "verify");
  const hex = SIGNATURE.slice(7);
  const malformed = [
    null,
    "",
    "sha256=",
    hex,
    `sha1=${hex}`,
    sign(SECRET, BODY, "sha1"),
    `sha256=${hex.slice(1)}`,
    `sha256=${hex}0`,
    `sha256=${hex}\n`,
    `sha256=${hex.slice(0, 63)}g`,
    `SHA256=${hex},sha256=${hex}`,
  ];
  for (const header of malformed) expect(await validSignature(BODY, header, [SECRET]), String(header)).toBe(false);
  expect(verify).not.toHaveBeenCalled();
  verify.mockRestore();
});

test("the bytes count as they are: emoji, U+2028, a byte order mark, nothing at all", async () => {
  for (const body of [
    bytes('{"title":"😀\u2028"}'),
    new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
    new Uint8Array(),
  ]) {
    expect(await validSignature(body, sign("s", body), ["s"])).toBe(true);
  }
});
