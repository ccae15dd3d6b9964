import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createNetwork } from "../network/network.ts";
import { openStateFile } from "../state/state-file.ts";
import { OAuthClient } from "./oauth-client.ts";
import { SignIn } from "./sign-in.ts";

it("whose registration is gone ends, and is not looked at again and again", async () => {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const folder = mkdtempSync(join(tmpdir(), "bridge-sign-in-"));
  const network = createNetwork({});
  const workerUrl = "http://127.0.0.1:9";
  const state = openStateFile(folder, workerUrl);
  const now = Date.now();
  const pendingSignIn = {
    state: "s",
    codeVerifier: "v",
    url: "u",
    code: "c",
    startedAt: now,
    expiresAt: now + 600_000,
  };
  await state.update(() => ({ pendingSignIn }));
  const reads = vi.spyOn(state, "read");
  const signIn = new SignIn({
    oauth: new OAuthClient(network, workerUrl),
    state,
    openBrowser: () => {},
    now: Date.now,
  });
  try {
    await signIn.resume();
    await vi.waitFor(async () => expect((await openStateFile(folder, workerUrl).read()).pendingSignIn).toBeUndefined());
    expect(reads.mock.calls.length).toBeLessThan(10);
  } finally {
    signIn.close();
    await network.close();
    rmSync(folder, { recursive: true, force: true });
    vi.restoreAllMocks();
  }
});
