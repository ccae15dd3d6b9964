/** Sign-ins that end badly, in real Chromium: what the person is told, and that nothing came of it. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SignInStage, startStage } from "../clients/worker.ts";
import { SMALL_WORLD } from "../github/worlds.ts";
import { faultsOf } from "./accessible.ts";
import { findChromium, launch, visit } from "./chromium.ts";
import { approve, choose } from "./person.ts";
import { codeLink, loopback, pollFlow } from "./program.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)("in Chromium, a person is told", () => {
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

  const open = (link: string) => visit(browser, link);

  /** The page has to say it, and be as usable as any other. */
  async function expectPage(page: Page, heading: string) {
    await page.getByRole("heading", { name: heading }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  }

  /** GitHub answers 502 where it should exchange the code. */
  async function whileGitHubIsDown(act: () => Promise<void>) {
    const { front } = stage.github;
    const handle = front.handle.bind(front);
    front.handle = async (request) =>
      new URL(request.url).pathname.endsWith("/access_token") ? new Response("down", { status: 502 }) : handle(request);
    try {
      await act();
    } finally {
      front.handle = handle;
    }
  }

  it("by the program that waits for a redirect when GitHub is down: the error goes there at once", async () => {
    await using visit = await open(await codeLink(stage.url, `${program.url}/callback`));
    await whileGitHubIsDown(() => approve(visit.page));
    await visit.page.waitForURL(`${program.url}/callback?*`);
    const answer = program.asked.at(-1)!.searchParams;
    expect([answer.get("error"), answer.has("code")]).toEqual(["temporarily_unavailable", false]);
  });

  it("on a page when GitHub is down and the program polls, which is told, too", async () => {
    const flow = await pollFlow(stage.url);
    await using visit = await open(flow.link);
    await whileGitHubIsDown(() => approve(visit.page));
    await expectPage(visit.page, "You are not signed in");
    expect(await visit.page.locator("main").textContent()).toContain("GitHub gave no usable answer");
    expect(await flow.poll()).toMatchObject({ error: "access_denied" });
  });

  it("that GitHub's link belongs to the browser in which it was approved", async () => {
    await using visit = await open(await codeLink(stage.url, `${program.url}/callback`));
    await visit.page.getByRole("button", { name: "Continue" }).click();
    await using other = await open(visit.page.url());
    await choose(other.page, "mona");
    await expectPage(other.page, "This sign-in was begun elsewhere");
  });

  it.each([
    ["without the visit's cookie", (mine: BrowserContext) => mine.clearCookies()],
    ["with another browser's", swapCookies],
  ])("that consent can't be given %s", async (_, change) => {
    const flow = await pollFlow(stage.url);
    await using visit = await open(flow.link);
    await using other = await open((await pollFlow(stage.url)).link);
    await change(visit.context, other.context);
    await visit.page.getByRole("button", { name: "Continue" }).click();
    await expectPage(visit.page, "This sign-in was begun elsewhere");
    expect(await flow.poll()).toMatchObject({ error: "authorization_pending" });
  });

  it("that a visit is over, and that a link was used before", async () => {
    const flow = await pollFlow(stage.url);
    await using visit = await open(flow.link);
    const transaction = visit.page.locator("input[name=transaction]");
    await transaction.evaluate((input: HTMLInputElement) => {
      // As it is after ten minutes: the server knows no such visit.
      input.value = `${input.value.slice(0, -10)}0123456789`;
    });
    await visit.page.getByRole("button", { name: "Continue" }).click();
    await expectPage(visit.page, "This sign-in is over");
    await visit.page.goto(flow.link);
    await approve(visit.page);
    await visit.page.getByRole("heading", { name: "You are signed in" }).waitFor();
    await visit.page.goto(flow.link);
    await expectPage(visit.page, "This sign-in is over");
  });

  it("to sign in again where the ten minutes of the programs' list are over, with nothing ended", async () => {
    const flow = await pollFlow(stage.url, "Program that stays");
    await using visit = await open(flow.link);
    await approve(visit.page, "hubot");
    await visit.page.getByRole("heading", { name: "You are signed in" }).waitFor();
    await flow.poll();
    await visit.page.goto(`${stage.url}/oauth/grants`);
    await choose(visit.page, "hubot");
    const end = visit.page.getByRole("button", { name: "End the access of Program that stays" });
    await end.waitFor();
    await visit.context.clearCookies();
    await end.click();
    await expectPage(visit.page, "You are not signed in here any more");
    await visit.page.getByRole("link", { name: "Sign in" }).click();
    await choose(visit.page, "hubot");
    await end.waitFor();
    expect(visit.complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  });
});

/** Gives the one cookie of a browser the value of another browser's. */
async function swapCookies(context: BrowserContext, from: BrowserContext): Promise<void> {
  const [[mine], [theirs]] = [await context.cookies(), await from.cookies()];
  await context.addCookies([{ ...mine!, value: theirs!.value }]);
}
