/** Sign-in and refresh while something is wrong with GitHub: a clear answer, nothing half-made, nothing lost. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { FaultKind } from "../../github/faults.ts";
import { Person } from "../../github/person.ts";
import { SMALL_WORLD } from "../../github/worlds.ts";
import { type SignInStage, startStage } from "../worker.ts";
import { atProgram, Program } from "./program.ts";

let stage: SignInStage;
beforeAll(async () => {
  stage = await startStage(SMALL_WORLD, { ACCESS_RECHECK_SECONDS: "0" });
}, 120_000);
afterEach(() => stage.github.faults.set());
afterAll(() => stage?.close(), 30_000);

const KINDS: FaultKind[] = [
  "down",
  "unauthorized",
  "rate-limit",
  "secondary-rate-limit",
  "server-error",
  "html",
  "garbage",
  "truncated",
];

async function attempt(kind: FaultKind, path: string) {
  const program = await Program.register(stage.url);
  const person = new Person("mona", atProgram);
  const github = await person.press(await person.open(program.link), /continue/i);
  stage.github.faults.set({ kind, path });
  return { program, page: await person.chooseAccount(github) };
}

describe.each(["/login/oauth/access_token", "/user"])("a sign-in while %s fails", (path) => {
  it.each(KINDS)("goes back to the program with an error at once (%s)", async (kind) => {
    const { program, page } = await attempt(kind, path);
    expect(atProgram(page.url), `${page.url} ${page.status}`).toBe(true);
    const { error, error_description, code, state, iss } = Object.fromEntries(page.url.searchParams);
    expect(error).toMatch(/^(server_error|temporarily_unavailable|access_denied)$/);
    expect(error_description).toBeTruthy();
    expect({ code, state, iss }).toEqual({ code: undefined, state: program.state, iss: stage.url });
  });

  it("waits ten seconds for GitHub, and no longer", async () => {
    const start = Date.now();
    const { page } = await attempt("slow", path);
    expect(Date.now() - start).toBeLessThan(20_000);
    expect(page.url.searchParams.get("error")).toMatch(/^(server_error|temporarily_unavailable)$/);
  }, 30_000);
});

/** A person whose browser stops right before our callback, until `hold` is taken away. */
async function heldAtCallback() {
  const program = await Program.register(stage.url);
  const gate = { hold: true };
  const person = new Person("mona", (url) => atProgram(url) || (gate.hold && url.pathname === "/oauth/callback"));
  const { url } = await person.signIn(program.link);
  gate.hold = false;
  return { program, person, callback: url };
}

it("a code that GitHub does not know goes back as an error at once", async () => {
  const { program, person, callback } = await heldAtCallback();
  callback.searchParams.set("code", "never-was");
  const { url } = await person.open(callback);
  expect(atProgram(url)).toBe(true);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: "access_denied", state: program.state });
});

it("GitHub's link in another browser is a page with 400, and takes nothing from the right one", async () => {
  const { program, person, callback } = await heldAtCallback();
  const exchanges = () => stage.github.front.seen.filter(({ path }) => path === "/login/oauth/access_token").length;
  const before = exchanges();
  const victim = await new Person("guest", atProgram).open(callback);
  expect(victim.status).toBe(400);
  expect(exchanges()).toBe(before);
  const { access_token } = await program.redeem(await person.open(callback));
  expect(access_token).toBeTruthy();
});

it("a person who says no at GitHub is not kept waiting", async () => {
  const program = await Program.register(stage.url);
  const person = new Person("mona", atProgram);
  const { url } = await person.press(await person.press(await person.open(program.link), /continue/i), /cancel/i);
  expect(atProgram(url)).toBe(true);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: "access_denied", state: program.state });
});

describe("a refresh while GitHub fails", () => {
  const kinds = [...KINDS, "slow" as const].filter((kind) => kind !== "unauthorized");
  it.each(kinds)(
    "serves the last known access (%s)",
    async (kind) => {
      const program = await Program.register(stage.url);
      await program.signIn(new Person("mona", atProgram));
      stage.github.faults.set({ kind, path: "/user" });
      expect((await program.refresh()).status).toBe(200);
      expect((await program.get("/api/pending-status")).status).toBe(200);
      stage.github.faults.set();
      expect((await program.refresh()).status).toBe(200);
    },
    30_000,
  );
});
