/** Signing in at the stand-in, as its pages lead. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formsOf, Person } from "./person.ts";
import { type StandInGitHub, startGitHub } from "./start.ts";
import { SMALL_WORLD } from "./worlds.ts";

const CALLBACK = "https://worker.example/oauth/callback";
const atWorker = (url: URL) => url.host === "worker.example";

let github: StandInGitHub;
beforeAll(async () => {
  github = await startGitHub(SMALL_WORLD, { callbackUrls: [CALLBACK] });
});
afterAll(() => github.close());

function authorizeUrl(more: Record<string, string> = {}) {
  const query = { client_id: github.app.clientId, redirect_uri: CALLBACK, state: "st&te", ...more };
  return `${github.url}/login/oauth/authorize?${new URLSearchParams(query)}`;
}

describe("GitHub's sign-in page", () => {
  it("lets somebody choose who they are, and sends them back with a code", async () => {
    const person = new Person("hubot", atWorker);
    const page = await person.open(authorizeUrl());
    expect(formsOf(page).flatMap(({ buttons }) => buttons)).not.toHaveLength(0);
    const { url } = await person.chooseAccount(page);
    expect(url.searchParams.get("state")).toBe("st&te");
    expect(url.searchParams.get("code")).toMatch(/^\w{20,}$/);
  });

  it("goes on at once the next time, unless the account is to be chosen", async () => {
    const person = new Person("mona", atWorker);
    await person.chooseAccount(await person.open(authorizeUrl()));
    const again = await person.open(authorizeUrl());
    expect(again.url.searchParams.get("code")).toBeTruthy();
    const chooser = await person.open(authorizeUrl({ prompt: "select_account" }));
    expect(chooser.url.pathname).toBe("/login/oauth/authorize");
    expect(chooser.text).toContain("guest");
  });

  it("lets them say no", async () => {
    const person = new Person("mona", atWorker);
    const { url } = await person.press(await person.open(authorizeUrl()), /cancel/i);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: "access_denied", state: "st&te" });
  });

  it("knows the App's own callback only", async () => {
    const page = await new Person("mona").open(authorizeUrl({ redirect_uri: "https://elsewhere.example/" }));
    expect(page.status).toBe(400);
  });
});
