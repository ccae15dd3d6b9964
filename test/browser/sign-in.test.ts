/** People who sign in with real Chromium: through the consent page and GitHub, back to where the program waits. */
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SignInStage, startStage } from "../clients/worker.ts";
import { SMALL_WORLD } from "../github/worlds.ts";
import { findChromium, launch, visit } from "./chromium.ts";
import { approve, choose } from "./person.ts";
import { codeLink, loopback, pollFlow } from "./program.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)("in Chromium, a person", () => {
  let stage: SignInStage;
  let browser: Browser;
  let program: Awaited<ReturnType<typeof loopback>>;
  beforeAll(async () => {
    stage = await startStage(SMALL_WORLD);
    browser = await launch(chromium!);
    program = await loopback();
  }, 120_000);
  afterAll(async () => {
    program?.close();
    await browser?.close();
    await stage?.close();
  }, 60_000);

  const open = (link: string, options?: BrowserContextOptions) => visit(browser, link, options);

  it("signs in through consent and GitHub, and lands where the program waits", async () => {
    await using visit = await open(await codeLink(stage.url, `${program.url}/callback`));
    await approve(visit.page);
    await visit.page.waitForURL(`${program.url}/callback?*`);
    const { state, iss, code } = Object.fromEntries(program.asked.at(-1)!.searchParams);
    expect({ state, iss }).toEqual({ state: "state-of-the-program", iss: stage.url });
    expect(code).toBeTruthy();
    expect(visit.complaints).toEqual([]);
  });

  it("signs in without JavaScript", async () => {
    await using visit = await open(await codeLink(stage.url, `${program.url}/callback`), { javaScriptEnabled: false });
    await approve(visit.page);
    await visit.page.waitForURL(`${program.url}/callback?*`);
    expect(program.asked.at(-1)!.searchParams.get("code")).toBeTruthy();
  });

  it.each([
    ["a loopback address", () => `${program.url}/callback`],
    ["an https address", () => "https://claude.ai/api/mcp/auth_callback"],
    ["a private-use scheme", () => "cursor://anysphere.cursor-mcp/oauth/callback"],
  ])("gets to %s in one chain of redirects when GitHub asks nothing more", async (_, redirectUri) => {
    await using visit = await open(await codeLink(stage.url, redirectUri()));
    const github = new URL(stage.github.url).hostname;
    await visit.page.context().addCookies([{ name: "stand_in_user", value: "mona", domain: github, path: "/" }]);
    await withoutChoice(stage, async () => {
      const asked = visit.page.waitForEvent("request", (one) => one.url().startsWith(redirectUri()));
      await visit.page.getByRole("button", { name: "Continue" }).click({ noWaitAfter: true });
      const request = await asked;
      expect(new URL(request.url()).searchParams.get("code")).toBeTruthy();
      expect(request.redirectedFrom(), "the same navigation as the form").not.toBeNull();
      expect(visit.complaints.filter((text) => /polic|form-action|blocked/i.test(text))).toEqual([]);
    });
  });

  it("signs a polling program in, whose code stands on the page, and is told as whom", async () => {
    const flow = await pollFlow(stage.url);
    await using visit = await open(flow.link);
    expect(await visit.page.locator(".code").textContent()).toBe(flow.shortCode);
    await approve(visit.page);
    await visit.page.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect(await visit.page.locator("main").textContent()).toMatch(/of mona\..*You can close this tab/s);
    expect(await flow.poll()).toMatchObject({ token_type: "Bearer", access_token: expect.any(String) });
  });

  it("says no to a polling program, which is told so", async () => {
    const flow = await pollFlow(stage.url);
    await using visit = await open(flow.link);
    await visit.page.getByRole("button", { name: "Cancel" }).click();
    await visit.page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    expect(await flow.poll()).toMatchObject({ error: "access_denied" });
  });

  it("says no to a program that waits for a redirect", async () => {
    await using visit = await open(await codeLink(stage.url, `${program.url}/callback`));
    await visit.page.getByRole("button", { name: "Cancel" }).click();
    await visit.page.waitForURL(`${program.url}/callback?*`);
    const answer = Object.fromEntries(program.asked.at(-1)!.searchParams);
    expect(answer).toMatchObject({ error: "access_denied", state: "state-of-the-program" });
    expect(answer).not.toHaveProperty("code");
  });

  it("loads the page twice, submits the first form and then again: one code", async () => {
    const link = await codeLink(stage.url, `${program.url}/callback`);
    await using visit = await open(link);
    const second = await visit.page.context().newPage();
    await second.goto(link);
    const transaction = await visit.page.locator("input[name=transaction]").inputValue();
    await approve(visit.page);
    await visit.page.waitForURL(`${program.url}/callback?*`);
    const code = program.asked.at(-1)!.searchParams.get("code");

    await new Promise((done) => setTimeout(done, 500));
    await second.locator("input[name=transaction]").evaluate((input: HTMLInputElement, value) => {
      input.value = value;
    }, transaction);
    await second.getByRole("button", { name: "Continue" }).click();
    await second.waitForURL(`${program.url}/callback?*`);
    expect(code).toBeTruthy();
    expect(program.asked.at(-1)!.searchParams.get("code")).toBe(code);
  });

  it("sees the programs with access, and ends one", async () => {
    const flow = await pollFlow(stage.url, "Program to end");
    await using visit = await open(flow.link);
    await approve(visit.page, "hubot");
    await visit.page.getByRole("heading", { name: "You are signed in" }).waitFor();
    const { refresh_token } = await flow.poll();
    expect(refresh_token).toBeTruthy();

    await visit.page.goto(`${stage.url}/oauth/grants`);
    await choose(visit.page, "hubot");
    await visit.page.getByRole("button", { name: "End the access of Program to end" }).click();
    await visit.page.getByText("No program can read your events").waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it("is not shown the consent page in a frame of another site", async () => {
    const link = await codeLink(stage.url, `${program.url}/callback`);
    const framing = await loopback(`<iframe src="${link.replaceAll("&", "&amp;")}"></iframe>`);
    try {
      await using visit = await open(framing.url);
      const frame = await (await visit.page.waitForSelector("iframe")).contentFrame();
      await frame!.waitForLoadState();
      expect(frame!.url()).toMatch(/^chrome-error:/);
      expect(await frame!.getByRole("button").count()).toBe(0);
      expect(visit.complaints.join()).toContain("frame-ancestors 'none'");
    } finally {
      framing.close();
    }
  });
});

/** GitHub asks which account to take (we say so); with one account and an authorized App it goes on at once. */
async function withoutChoice(stage: SignInStage, act: () => Promise<void>): Promise<void> {
  const { front } = stage.github;
  const handle = front.handle.bind(front);
  front.handle = (request) => {
    const url = new URL(request.url);
    if (!url.searchParams.has("prompt")) return handle(request);
    url.searchParams.delete("prompt");
    return handle(new Request(url, request));
  };
  try {
    await act();
  } finally {
    front.handle = handle;
  }
}
