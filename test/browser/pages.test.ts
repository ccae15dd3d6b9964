/**
 * Every page that people see, in real Chromium: light and dark, on a narrow phone and a wide screen, with text of twice
 * the size, by keyboard. `PAGES_DIR` names a folder for screenshots of them all.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SignInStage, startStage } from "../clients/worker.ts";
import { SMALL_WORLD } from "../github/worlds.ts";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { faultsOf } from "./accessible.ts";
import { findChromium, launch, watched } from "./chromium.ts";
import { approve, choose } from "./person.ts";
import { codeLink, loopback, pollFlow } from "./program.ts";

const chromium = findChromium();
const LOOKS: [string, BrowserContextOptions][] = (["light", "dark"] as const).flatMap((colorScheme) =>
  [320, 1280].map((width): [string, BrowserContextOptions] => [
    `${colorScheme}, ${width} px`,
    { colorScheme, viewport: { width, height: 800 } },
  ]),
);
/** An ordinary program's name is short; people register others. */
const LONG_NAME = "A program with a rather long name, made by somebody who likes to say everything at once";

describe.skipIf(chromium === null)("in Chromium, the pages", () => {
  const state = temporaryState();
  let stage: SignInStage;
  let local: LocalServer;
  let browser: Browser;
  let program: Awaited<ReturnType<typeof loopback>>;
  beforeAll(async () => {
    stage = await startStage(SMALL_WORLD);
    local = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: "pages" });
    browser = await launch(chromium!);
    program = await loopback();
  }, 120_000);
  afterAll(async () => {
    program?.close();
    await browser?.close();
    endAll();
    state.dispose();
    await stage?.close();
  }, 60_000);

  /** How to get to each page, from an empty one. */
  const PAGES: [string, (page: Page) => Promise<unknown>][] = [
    ["consent", async (page) => page.goto(await codeLink(stage.url, `${program.url}/callback`, LONG_NAME))],
    ["consent of a polling program", async (page) => page.goto((await pollFlow(stage.url)).link)],
    ["local sign-in", async (page) => page.goto(await codeLink(local.url, `${program.url}/callback`, LONG_NAME))],
    ["local sign-in of a polling program", async (page) => page.goto((await pollFlow(local.url)).link)],
    [
      "denied",
      async (page) => {
        await page.goto((await pollFlow(stage.url)).link);
        await page.getByRole("button", { name: "Cancel" }).click();
      },
    ],
    [
      "signed in",
      async (page) => {
        await page.goto((await pollFlow(local.url)).link);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("heading", { name: "You are signed in" }).waitFor();
      },
    ],
    ["unknown program", (page) => page.goto(`${stage.url}/oauth/authorize?client_id=gone&response_type=code`)],
    [
      "redirect to nowhere registered",
      async (page) => {
        const link = new URL(await codeLink(stage.url, `${program.url}/callback`));
        link.searchParams.set("redirect_uri", "https://evil.example/");
        await page.goto(link.href);
      },
    ],
    ["callback of nobody", (page) => page.goto(`${stage.url}/oauth/callback?code=x&state=y`)],
    [
      "programs with access",
      async (page) => {
        const flow = await pollFlow(stage.url, LONG_NAME);
        await page.goto(flow.link);
        await approve(page);
        await page.getByRole("heading", { name: "You are signed in" }).waitFor();
        await flow.poll();
        await page.goto(`${stage.url}/oauth/grants`);
        await choose(page, "mona");
        await page.getByRole("heading", { name: "Programs with access" }).waitFor();
      },
    ],
    [
      "no programs with access",
      async (page) => {
        await page.goto(`${stage.url}/oauth/grants`);
        await choose(page, "hubot");
        await page.getByText("No program can read your events").waitFor();
      },
    ],
  ];

  describe.each(PAGES)("%s", (name, visit) => {
    it.each(LOOKS)("can be read and used: %s", async (look, options) => {
      const { context, complaints } = await watched(browser, options);
      try {
        const page = await context.newPage();
        await visit(page);
        expect(await faultsOf(page)).toEqual([]);
        await picture(page, `${name} ${look}`);
        await page.evaluate(() => {
          document.documentElement.style.fontSize = "200%";
        });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
          options.viewport!.width,
        );
        // An answer that is an error is noted by the browser as one; a policy that blocks is something else.
        expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
      } finally {
        await context.close();
      }
    });
  });
});

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGES_DIR;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replaceAll(/[^a-z0-9]+/g, "-")}.png`), fullPage: true });
}
