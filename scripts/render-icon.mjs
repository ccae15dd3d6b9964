/**
 * Makes `mcp-server/icon.png` from `icon.svg`, in the system's Chromium (CHROMIUM_PATH names another one). Run by hand
 * after a change of the drawing: node scripts/render-icon.mjs
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/** Pixels; what the directory of desktop extensions asks for. */
const SIZE = 512;

const folder = new URL("../mcp-server/", import.meta.url);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH || "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
  const drawing = readFileSync(new URL("icon.svg", folder), "utf8");
  await page.setContent(`<style>html, body { margin: 0 } svg { display: block }</style>${drawing}`);
  await page.screenshot({ path: fileURLToPath(new URL("icon.png", folder)), omitBackground: true });
} finally {
  await browser.close();
}
