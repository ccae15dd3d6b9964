/** Local mode's sign-in in real Chromium: `npm start` without a GitHub App, and one click. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { findChromium, launch, visit, watched } from "./chromium.ts";
import { codeFlow, codeLink, loopback, pollFlow } from "./program.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)("in Chromium, local mode's sign-in", () => {
  const state = temporaryState();
  let local: LocalServer;
  let browser: Browser;
  let program: Awaited<ReturnType<typeof loopback>>;
  beforeAll(async () => {
    local = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: "pages" });
    browser = await launch(chromium!);
    program = await loopback();
  }, 120_000);
  afterAll(async () => {
    program?.close();
    await browser?.close();
    endAll();
    state.dispose();
  }, 60_000);

  const open = (link: string) => visit(browser, link);

  async function expectWorking(token: unknown) {
    const answer = await fetch(`${local.url}/api/pending-status`, { headers: { Authorization: `Bearer ${token}` } });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ pending_count: 0 })]);
  }

  it("is one click that ends at the program's redirect URI, with a code for a token that works", async () => {
    const flow = await codeFlow(local.url, `${program.url}/local`);
    await using visit = await open(flow.link);
    await visit.page.getByRole("button", { name: "Sign in" }).click();
    await visit.page.waitForURL(`${program.url}/local?*`);
    const { access_token } = await flow.redeem(program.asked.at(-1)!.searchParams.get("code")!);
    await expectWorking(access_token);
    expect(visit.complaints).toEqual([]);
  });

  it("is one press of Enter for a program that polls", async () => {
    const flow = await pollFlow(local.url);
    await using visit = await open(flow.link);
    await visit.page.keyboard.press("Tab");
    await visit.page.keyboard.press("Enter");
    await visit.page.getByText("You can close this tab").waitFor();
    await expectWorking((await flow.poll()).access_token);
    expect(visit.complaints).toEqual([]);
  });

  it("would not get to Cursor if its page had a form-action, which these tests would notice (row 6)", async () => {
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
});
