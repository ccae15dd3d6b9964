/**
 * The system's Chromium, driven by playwright-core. CHROMIUM_PATH names another one; without any the tests are skipped,
 * unless REQUIRE_CHROMIUM is set, as `.ci/run` does.
 */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const ARGUMENTS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Nothing but this machine is there: what a page asks elsewhere for is seen, and not sent.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Where Chromium is; null where there is none, which is said once. */
export function findChromium(): string | null {
  const candidates = process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : INSTALLED;
  const found = candidates.find((path) => existsSync(path));
  if (found) return found;
  const missing = `no Chromium at ${candidates.join(", ")}: install it, or name it with CHROMIUM_PATH`;
  if (process.env.REQUIRE_CHROMIUM) throw new Error(missing);
  console.warn(`Tests of the pages are skipped: ${missing}.`);
  return null;
}

/** A browser with a profile of its own, which ends with it. */
export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, chromiumSandbox: false, args: ARGUMENTS });
}

/** A context that notes what its pages complain about: errors on the console, and what a policy blocked. */
export async function watched(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; complaints: string[] }> {
  const context = await browser.newContext(options);
  const complaints: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
      console.error(`blocked by ${effectiveDirective}: ${blockedURI}`),
    );
  });
  return { context, complaints };
}

/** A page in a context of its own, which ends with it (`await using`). */
export interface Visit extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  complaints: string[];
}

/** Opens a link as somebody does whom nobody knows here yet. */
export async function visit(browser: Browser, link: string, options?: BrowserContextOptions): Promise<Visit> {
  const { context, complaints } = await watched(browser, options);
  const page = await context.newPage();
  await page.goto(link);
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() };
}
