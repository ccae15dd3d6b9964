import { hash } from "node:crypto";
import type { Digest } from "../../engine/ports.ts";

/** 128 bits of SHA-256 in base64url: 22 characters. */
export const sha256: Digest = (text) => hash("sha256", text, "base64url").slice(0, 22);
