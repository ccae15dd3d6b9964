import { expect, test } from "vitest";
import { shortCode } from "./short-code.ts";

// Computed with another implementation (Python's hashlib).
test.each([
  ["state", "challenge", "J93G-GDDX"],
  ["a+b/c==", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "DV2Y-EKRD"],
])("%s and %s make %s", (state, challenge, code) => {
  expect(shortCode(state, challenge)).toBe(code);
});
