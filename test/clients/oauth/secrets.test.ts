/** What a complete run leaves behind: no token, code, verifier or secret, on disk or in the log. */
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Person } from "../../github/person.ts";
import { SMALL_WORLD } from "../../github/worlds.ts";
import { type SignInStage, startStage } from "../worker.ts";
import { atProgram, Program } from "./program.ts";

const POLL_GRANT = "urn:ietf:params:oauth:grant-type:web_authorization_poll";

let stage: SignInStage;
beforeAll(async () => {
  stage = await startStage(SMALL_WORLD, { ACCESS_RECHECK_SECONDS: "0" }, { tokenLifetimeSeconds: 28_800 });
}, 120_000);
afterAll(() => stage?.close(), 30_000);

it("stores and logs no secret of a complete run", async () => {
  const secrets = [stage.github.app.clientSecret, stage.github.app.webhookSecret];

  // A code flow, refreshed while GitHub is well, while its token has expired, and while it is down.
  const program = await Program.register(stage.url);
  await program.signIn(new Person("hubot", atProgram));
  await program.refresh();
  stage.github.tokens.expireAll();
  expect((await program.refresh()).status).toBe(200);
  stage.github.faults.set({ kind: "server-error" });
  expect((await program.refresh()).status).toBe(200);
  stage.github.faults.set();
  expect((await program.get("/api/pending-status")).status).toBe(200);
  secrets.push(...program.secrets);

  // A poll flow, and what is refused.
  const poll = await signInByPolling();
  secrets.push(...poll.secrets);
  expect(poll.page.text).toContain("mona");
  const stranger = new Program(stage.url, program.clientId);
  stranger.tokens = { ...program.tokens!, refresh_token: `${program.tokens!.refresh_token}x` };
  expect((await stranger.refresh()).body.error).toBe("invalid_grant");

  // A sign-in that GitHub breaks off.
  const failed = await Program.register(stage.url);
  stage.github.faults.set({ kind: "garbage", path: "/user" });
  await new Person("mona", atProgram).signIn(failed.link);
  stage.github.faults.set();
  secrets.push(failed.verifier, ...stage.github.tokens.given);
  expect(new Set(secrets).size).toBeGreaterThan(15);

  const files = readdirSync(stage.stateDir, { recursive: true, encoding: "utf8" })
    .map((name) => join(stage.stateDir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, content: readFileSync(path) }));
  const holding = (text: string) => files.filter(({ content }) => content.includes(text)).map(({ path }) => path);
  // What is no secret is found, or the search would prove nothing.
  expect(holding(program.clientId)).not.toEqual([]);
  expect(stage.log()).toContain("/oauth/token");
  for (const secret of secrets) {
    expect(holding(secret), "on disk").toEqual([]);
    expect(stage.log().includes(secret), "in the log").toBe(false);
  }
}, 60_000);

async function signInByPolling() {
  const registration = await fetch(`${stage.url}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "Bridge", grant_types: [POLL_GRANT, "refresh_token"] }),
  });
  const { client_id } = (await registration.json()) as { client_id: string };
  const [state, code_verifier] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
  const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
  const ask = async () => {
    const form = new URLSearchParams({ grant_type: POLL_GRANT, client_id, state, code_verifier });
    const answer = await fetch(`${stage.url}/oauth/token`, { method: "POST", body: form });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  // A first poll before the browser has arrived must not be fatal.
  expect(await ask()).toMatchObject({ status: 400, body: { error: "authorization_pending" } });
  const query = new URLSearchParams({ client_id, state, code_challenge, code_challenge_method: "S256" });
  const page = await new Person("mona").signIn(`${stage.url}/oauth/authorize?${query}`);
  const { status, body } = await ask();
  expect(status, JSON.stringify(body)).toBe(200);
  expect(await ask()).toMatchObject({ status: 400, body: { error: "expired_token" } });
  return { page, secrets: [state, code_verifier, body.access_token!, body.refresh_token!] };
}

it("lets nobody look into its storage over HTTP", async () => {
  for (const path of ["/cdn-cgi/explorer", "/cdn-cgi/explorer/api", "/cdn-cgi/explorer/api/storage/kv/namespaces"]) {
    expect((await fetch(stage.url + path)).status, path).toBe(404);
  }
});
