import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createNetwork } from "../network/network.ts";
import type { Access, BridgeState, Network, StateFile } from "../ports.ts";
import { openStateFile } from "../state/state-file.ts";
import { createAccess } from "./access.ts";
import { OAuthClient } from "./oauth-client.ts";
import { json, OAuthWorker } from "./testing/oauth-worker.ts";

const HOUR = 3_600_000;

let worker: OAuthWorker;
let folder: string;
let network: Network;
let state: StateFile;
let stderr: string;
/** What this machine's clock shows. */
let clock: () => number;
const open: Access[] = [];
const tabs: string[] = [];

beforeEach(async () => {
  worker = await OAuthWorker.start();
  folder = mkdtempSync(join(tmpdir(), "bridge-access-"));
  network = createNetwork({});
  state = openStateFile(folder, worker.url);
  clock = Date.now;
  stderr = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const access of open.splice(0)) access.close();
  tabs.length = 0;
  await network.close();
  await worker.close();
  rmSync(folder, { recursive: true, force: true });
});

function access(): Access {
  const made = createAccess({
    oauth: new OAuthClient(network, worker.url),
    state,
    openBrowser: (url) => void tabs.push(url),
    now: () => clock(),
    pollIntervalMs: 20,
  });
  open.push(made);
  return made;
}

/** Somebody has signed in, so long ago. */
async function signedIn(ageMs = 0, change: Partial<NonNullable<BridgeState["tokens"]>> = {}): Promise<void> {
  worker.clients.add("c");
  worker.refreshTokens.add("r");
  const tokens = { accessToken: "old", refreshToken: "r", receivedAt: clock() - ageMs, expiresInSeconds: 3_600 };
  await state.update(() => ({ client: { clientId: "c" }, tokens: { ...tokens, ...change } }));
}

/** Signs in as a person would; the token. */
async function signIn(one: Access): Promise<string> {
  const available = new Promise<void>((done) => one.onAvailable(done));
  const answer = await one.token({ interactive: true });
  if (answer.outcome !== "sign-in") throw new Error(JSON.stringify(answer));
  worker.approve(answer.prompt.url);
  await available;
  return tokenOf(one);
}

async function tokenOf(one: Access): Promise<string> {
  const answer = await one.token({ interactive: true });
  if (answer.outcome !== "token") throw new Error(JSON.stringify(answer));
  return answer.token;
}

describe("a sign-in", () => {
  it("answers within a second with the page, the code and the time left, and goes on by itself", async () => {
    const one = access();
    const started = performance.now();
    const answer = await one.token({ interactive: true });
    expect(performance.now() - started).toBeLessThan(1_000);
    if (answer.outcome !== "sign-in") throw new Error(answer.outcome);
    expect(answer.prompt.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(answer.prompt.expiresAt - Date.now()).toBeGreaterThan(590_000);
    const page = new URL(answer.prompt.url);
    expect(page.origin + page.pathname).toBe(`${worker.url}/oauth/authorize`);
    expect(page.searchParams.get("code_challenge_method")).toBe("S256");
    expect(tabs).toEqual([answer.prompt.url]);
    expect(await one.token({ interactive: true })).toEqual(answer);
    expect(await signIn(one)).toMatch(/^access-/);
    expect(worker.count("register")).toBe(1);
    expect(tabs).toHaveLength(1);
  });

  it("is not started by what goes on in the background", async () => {
    expect(await access().token({ interactive: false })).toMatchObject({ outcome: "unavailable" });
    expect(worker.asked).toEqual([]);
  });

  it("is told to wait for where the Worker is slow, and is there at the next call", async () => {
    worker.slowness = 1_500;
    const one = access();
    const started = performance.now();
    expect(await one.token({ interactive: true })).toMatchObject({
      outcome: "unavailable",
      sentence: expect.stringContaining("Make the same call again"),
    });
    expect(performance.now() - started).toBeLessThan(1_100);
    await vi.waitFor(() => expect(tabs).toHaveLength(1), 5_000);
    expect(await one.token({ interactive: true })).toMatchObject({ outcome: "sign-in" });
  });

  it("outlives a 429, a 502, a broken connection and slow_down while it polls (row 23)", async () => {
    const faults: ((response: ServerResponse) => unknown)[] = [
      (response) => json(response, 429, { error: "rate_limited" }),
      (response) => json(response, 502, {}),
      (response) => response.destroy(),
      (response) => response.destroy(),
      (response) => json(response, 400, { error: "slow_down" }),
    ];
    worker.fault = (_, response) => {
      const fault = faults.shift();
      fault?.(response);
      return fault !== undefined;
    };
    const waits: number[] = [];
    const real = globalThis.setTimeout;
    // Five seconds more at each slow_down: asserted, not waited for.
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0, ...rest: []) => {
      if (ms > 5_000 && ms < 15_000) waits.push(ms);
      return real(run, ms > 5_000 && ms < 15_000 ? 20 : ms, ...rest);
    }) as typeof setTimeout);
    expect(await signIn(access())).toMatch(/^access-/);
    expect(faults).toEqual([]);
    expect(waits).toContain(5_020);
    expect(worker.count("register")).toBe(1);
  });

  it.each([
    ["access_denied", "denied"],
    ["expired_token", "ended"],
  ])("that ends with %s is said, and the next call starts anew", async (error, word) => {
    const one = access();
    worker.fault = (_, response) => {
      json(response, 400, { error });
      return true;
    };
    await one.token({ interactive: true });
    await vi.waitFor(async () => expect((await state.read()).pendingSignIn).toBeUndefined(), 5_000);
    expect(stderr).toContain(word);
    worker.fault = () => false;
    expect(await signIn(one)).toMatch(/^access-/);
    expect(tabs).toHaveLength(2);
  });

  it("registers again where the Worker has forgotten the client, before it sends anybody to a page", async () => {
    await state.update(() => ({ client: { clientId: "forgotten" } }));
    expect(await signIn(access())).toMatch(/^access-/);
    expect(worker.count("register")).toBe(1);
    expect(tabs).toHaveLength(1);
    expect(tabs[0]).not.toContain("forgotten");
  });

  it("opens no page of a Worker that can't be reached, registered before or not", async () => {
    await worker.close();
    const one = access();
    for (const client of [undefined, { clientId: "c" }]) {
      await state.update(() => ({ ...(client && { client }) }));
      expect(await one.token({ interactive: true })).toMatchObject({
        outcome: "unavailable",
        sentence: expect.stringContaining("connection refused"),
      });
    }
    expect(tabs).toEqual([]);
  });

  it("uses the client that was registered before", async () => {
    worker.clients.add("c");
    await state.update(() => ({ client: { clientId: "c" } }));
    expect(await signIn(access())).toMatch(/^access-/);
    expect(worker.count("register")).toBe(0);
  });

  it("without a refresh token holds as long as its access token, and does not loop after it", async () => {
    await signedIn(0, { refreshToken: "" });
    const one = access();
    expect(await tokenOf(one)).toBe("old");
    one.reject("old");
    expect(await one.token({ interactive: true })).toMatchObject({ outcome: "sign-in" });
    expect(worker.count("refresh")).toBe(0);
  });
});

describe("a refresh", () => {
  it("comes five minutes before the token's end, once for ten calls", async () => {
    await signedIn(HOUR - 301_000);
    const one = access();
    expect(await tokenOf(one)).toBe("old");
    await signedIn(HOUR - 299_000);
    const tokens = await Promise.all(Array.from({ length: 10 }, () => tokenOf(one)));
    expect(new Set(tokens)).toEqual(new Set(["access-1"]));
    expect(worker.asked).toEqual(["refresh"]);
  });

  it("that the Worker can't answer leaves the token its last five minutes, then a sentence, never a sign-in", async () => {
    worker.fault = (_, response) => {
      json(response, 503, { error: "temporarily_unavailable" });
      return true;
    };
    const one = access();
    await signedIn(HOUR - 60_000);
    expect(await tokenOf(one)).toBe("old");
    await signedIn(HOUR + 60_000);
    expect(await one.token({ interactive: true })).toMatchObject({
      outcome: "unavailable",
      sentence: expect.stringContaining("HTTP 503"),
    });
    worker.fault = () => false;
    expect(await tokenOf(one)).toBe("access-1");
    expect(tabs).toEqual([]);
  });

  it("that is refused takes the token that another process has put there", async () => {
    await signedIn(HOUR);
    worker.fault = (_, response) => {
      const tokens = { accessToken: "theirs", refreshToken: "r2", receivedAt: clock(), expiresInSeconds: 3_600 };
      void state
        .update((before) => ({ ...before, tokens }))
        .then(() => json(response, 400, { error: "invalid_grant" }));
      return true;
    };
    expect(await tokenOf(access())).toBe("theirs");
    expect(worker.asked).toEqual(["refresh"]);
  });

  it("that is refused uses the newer refresh token that another process has put there", async () => {
    await signedIn(HOUR);
    worker.refreshTokens.add("r2");
    worker.fault = (form, response) => {
      if (form.get("refresh_token") !== "r") return false;
      const tokens = { accessToken: "theirs", refreshToken: "r2", receivedAt: 0, expiresInSeconds: 3_600 };
      void state
        .update((before) => ({ ...before, tokens }))
        .then(() => json(response, 400, { error: "invalid_grant" }));
      return true;
    };
    expect(await tokenOf(access())).toBe("access-1");
    expect(worker.asked).toEqual(["refresh", "refresh"]);
  });

  it.each(["invalid_grant", "invalid_client"])("that ends in %s asks for a new sign-in, once", async (error) => {
    await signedIn(HOUR);
    worker.fault = (form, response) => {
      if (form.get("grant_type") !== "refresh_token") return false;
      json(response, 400, { error });
      return true;
    };
    const one = access();
    expect(await one.token({ interactive: true })).toMatchObject({ outcome: "sign-in" });
    expect(worker.count("refresh")).toBe(1);
    expect(worker.count("register")).toBe(error === "invalid_client" ? 1 : 0);
  });

  it("that something on the way refuses in its own words ends no sign-in", async () => {
    await signedIn(HOUR);
    worker.fault = (_, response) => {
      json(response, 403, { error: "blocked_by_policy" });
      return true;
    };
    const one = access();
    expect(await one.token({ interactive: true })).toMatchObject({
      outcome: "unavailable",
      sentence: expect.stringContaining("blocked_by_policy"),
    });
    worker.fault = () => false;
    expect(await tokenOf(one)).toBe("access-1");
    expect(tabs).toEqual([]);
  });

  it("keeps its token where the answer has no new one (RFC 6749 §6)", async () => {
    await signedIn(HOUR);
    worker.fault = (_, response) => {
      json(response, 200, { access_token: "new", expires_in: 60 });
      return true;
    };
    expect(await tokenOf(access())).toBe("new");
    expect((await state.read()).tokens?.refreshToken).toBe("r");
  });
});

describe("a token that the Worker refuses (401)", () => {
  it("is refreshed once for all who hear of it", async () => {
    await signedIn();
    const one = access();
    const token = await tokenOf(one);
    one.reject(token);
    one.reject(token);
    expect(new Set(await Promise.all([tokenOf(one), tokenOf(one)]))).toEqual(new Set(["access-1"]));
    one.reject(token);
    expect(await tokenOf(one)).toBe("access-1");
    expect(worker.asked).toEqual(["refresh"]);
  });
});

describe("a wrong clock (row 34)", () => {
  it.each([3 * HOUR, -3 * HOUR])("%i ms off: one sign-in, ten calls, no refresh", async (off) => {
    clock = () => Date.now() + off;
    const one = access();
    await signIn(one);
    for (let call = 0; call < 10; call++) await tokenOf(one);
    expect([worker.count("refresh"), tabs.length]).toEqual([0, 1]);
  });

  it("that jumps ahead while it runs costs one refresh, and one that jumps back none until a 401", async () => {
    await signedIn();
    const one = access();
    clock = () => Date.now() + 3 * HOUR;
    for (let call = 0; call < 10; call++) expect(await tokenOf(one)).toBe("access-1");
    clock = () => Date.now();
    for (let call = 0; call < 10; call++) expect(await tokenOf(one)).toBe("access-1");
    expect(worker.count("refresh")).toBe(1);
    one.reject("access-1");
    for (let call = 0; call < 10; call++) expect(await tokenOf(one)).toBe("access-2");
    expect(worker.count("refresh")).toBe(2);
    expect(tabs).toEqual([]);
  });
});

it("writes no token and no verifier to stderr", async () => {
  const one = access();
  await one.token({ interactive: true });
  const verifier = (await state.read()).pendingSignIn!.codeVerifier;
  worker.fault = (_, response) => {
    json(response, 400, { error: "access_denied" });
    return true;
  };
  await vi.waitFor(() => expect(stderr).toContain("denied"), 5_000);
  await signedIn(HOUR, { accessToken: "access-token-of-the-test", refreshToken: "refresh-token-of-the-test" });
  worker.fault = (_, response) => {
    json(response, 400, { error: "invalid_grant" });
    return true;
  };
  await one.token({ interactive: true });
  expect(stderr).not.toMatch(/-token-of-the-test/);
  expect(stderr).not.toContain(verifier);
});
