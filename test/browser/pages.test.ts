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
        await page.getByRole("button", { name: "Continue" }).click();
        await choose(page, "mona");
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

  it("local mode's sign-in is one click, and its code gets a token that works", async () => {
    const { context, complaints } = await watched(browser);
    try {
      const page = await context.newPage();
      const flow = await pollFlow(local.url);
      await page.goto(flow.link);
      await page.getByRole("button", { name: "Sign in" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("You can close this tab").waitFor();
      const { access_token } = await flow.poll();
      const headers = { Authorization: `Bearer ${access_token}` };
      const answer = await fetch(`${local.url}/api/pending-status`, { headers });
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ pending_count: 0 })]);

      await page.goto(await codeLink(local.url, `${program.url}/local`));
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${program.url}/local?*`);
      expect(program.asked.at(-1)!.searchParams.get("code")).toBeTruthy();
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it("GitHub out of reach is a page that says so, with nothing lost", async () => {
    const { context } = await watched(browser);
    const { front } = stage.github;
    const handle = front.handle.bind(front);
    try {
      const page = await context.newPage();
      await page.goto(await codeLink(stage.url, `${program.url}/callback`));
      await page.getByRole("button", { name: "Continue" }).click();
      front.handle = async (request) =>
        new URL(request.url).pathname.endsWith("/access_token")
          ? new Response("down", { status: 502 })
          : handle(request);
      await choose(page, "mona");
      await page.waitForURL(`${program.url}/callback?*`);
      expect(program.asked.at(-1)!.searchParams.get("error")).toBe("temporarily_unavailable");
    } finally {
      front.handle = handle;
      await context.close();
    }
  });

  it("another browser that was sent GitHub's link is told why it ends there", async () => {
    const first = await watched(browser);
    const second = await watched(browser);
    try {
      const page = await first.context.newPage();
      await page.goto(await codeLink(stage.url, `${program.url}/callback`));
      await page.getByRole("button", { name: "Continue" }).click();
      const other = await second.context.newPage();
      await other.goto(page.url());
      await choose(other, "mona");
      await other.getByRole("heading", { name: "This sign-in was begun elsewhere" }).waitFor();
      expect(await faultsOf(other)).toEqual([]);
    } finally {
      await first.context.close();
      await second.context.close();
    }
  });

  it("a list of programs whose ten minutes are over asks to sign in again", async () => {
    const { context } = await watched(browser);
    try {
      const page = await context.newPage();
      await page.goto(`${stage.url}/oauth/grants`);
      await choose(page, "mona");
      await page.getByRole("heading", { name: "Programs with access" }).waitFor();
      await context.clearCookies();
      await page.reload();
      await page.waitForURL((url) => url.origin === new URL(stage.github.url).origin);
    } finally {
      await context.close();
    }
  });

  describe("and what watches them", () => {
    it("notices what a policy blocks", async () => {
      const policy = "default-src 'none'; style-src 'none'";
      const blocked = await loopback(
        `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><style>p { color: red }</style><p>text</p>`,
      );
      const { context, complaints } = await watched(browser);
      try {
        const page = await context.newPage();
        await page.goto(blocked.url);
        expect(complaints.join()).toContain("style-src");
      } finally {
        blocked.close();
        await context.close();
      }
    });

    it("would notice a form-action on the consent page: it stops the way to Cursor (row 6)", async () => {
      const { context, complaints } = await watched(browser);
      try {
        const page = await context.newPage();
        await page.route("**/oauth/authorize?*", async (route) => {
          const response = await route.fetch();
          const policy = `${response.headers()["content-security-policy"]}; form-action 'self'`;
          await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
        });
        await page.goto(await codeLink(local.url, "cursor://anysphere.cursor-mcp/oauth/callback"));
        await page.getByRole("button", { name: "Sign in" }).click({ noWaitAfter: true });
        await expect.poll(() => complaints.join()).toContain("form-action");
      } finally {
        await context.close();
      }
    });

    it("notices bad contrast, a second h1, a nameless button and a page that is too wide", async () => {
      const bad = await loopback(
        `<!doctype html><html lang="en"><title>t</title><main><h1>a</h1><h1>b</h1><p style="color:#999">pale</p>
         <button style="outline:none"></button><div style="width:2000px">wide</div></main>`,
      );
      const { context } = await watched(browser);
      try {
        const page = await context.newPage();
        await page.goto(bad.url);
        const faults = (await faultsOf(page)).join("\n");
        for (const fault of ["exactly one h1", "contrast 2.8", "button without a name", "px wide", "can't be seen"]) {
          expect(faults).toContain(fault);
        }
      } finally {
        bad.close();
        await context.close();
      }
    });
  });
});

/** Chooses an account on GitHub's page. */
async function choose(page: Page, login: string): Promise<void> {
  await page
    .locator("form", { has: page.locator(`input[value="${login}"]`) })
    .locator("button")
    .click();
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGES_DIR;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replaceAll(/[^a-z0-9]+/g, "-")}.png`), fullPage: true });
}
