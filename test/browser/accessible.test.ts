/** That what watches the pages sees what it should: pages with faults. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "./accessible.ts";
import { findChromium, launch, watched } from "./chromium.ts";
import { loopback } from "./program.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)("what watches the pages", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(chromium!);
  }, 60_000);
  afterAll(() => browser?.close());

  async function open(document: string) {
    const site = await loopback(document);
    const { context, complaints } = await watched(browser);
    const page = await context.newPage();
    await page.goto(site.url);
    return {
      page,
      complaints,
      async [Symbol.asyncDispose]() {
        site.close();
        await context.close();
      },
    };
  }

  it("notices what a policy blocks", async () => {
    const policy = "default-src 'none'; style-src 'none'";
    await using site = await open(
      `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><style>p { color: red }</style><p>text</p>`,
    );
    expect(site.complaints.join()).toContain("style-src");
  });

  it("notices bad contrast, a second h1, a nameless or faint button and a page that is too wide", async () => {
    await using site = await open(
      `<!doctype html><html lang="en"><title>t</title><main><h1>a</h1><h1>b</h1><p style="color:#999">pale</p>
       <button style="outline:none"></button><button style="background:#fff;border:1px solid #ddd">faint</button>
       <div style="width:2000px">wide</div></main>`,
    );
    const faults = (await faultsOf(site.page)).join("\n");
    for (const fault of [
      "exactly one h1",
      "contrast 2.8",
      "button without a name",
      'the edge of "faint" has contrast 1.3',
      "px wide",
      "can't be seen",
    ]) {
      expect(faults).toContain(fault);
    }
  });
});
