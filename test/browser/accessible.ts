/** What is wrong with a page for people who zoom, don't see colours, use a keyboard or have it read to them. */
import type { Page } from "playwright-core";

/** WCAG 2.2, 1.4.3 (AA): text of ordinary size; 1.4.11 (AA): what shows where a button is. */
const CONTRAST = { text: 4.5, control: 3 };

/** Everything that can be said of a page as it stands; empty = nothing. */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults = await page.evaluate((needed) => {
    const found: string[] = [];
    const say = (fault: string) => found.push(fault);
    if (document.documentElement.lang !== "en") say(`the language is "${document.documentElement.lang}"`);
    if (document.title.trim() === "") say("no title");
    const headings = [...document.querySelectorAll("h1, h2, h3")];
    if (headings.filter(({ tagName }) => tagName === "H1").length !== 1) say("not exactly one h1");
    if (headings[0]?.tagName !== "H1") say("the first heading is no h1");
    if (document.querySelectorAll("main").length !== 1) say("not exactly one main");
    for (const control of document.querySelectorAll<HTMLElement>("button, a, input:not([type=hidden])")) {
      const name = control.getAttribute("aria-label") ?? control.textContent ?? "";
      if (name.trim() === "") say(`a ${control.tagName.toLowerCase()} without a name`);
      const { height, width } = control.getBoundingClientRect();
      if (control.tagName === "BUTTON" && (height < 24 || width < 24)) say(`"${name}" is too small to hit`);
    }
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) say(`${root.scrollWidth} px wide in a window of ${root.clientWidth}`);

    const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    /** Relative luminance, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
    const luminance = (colour: string) => {
      const [r = 0, g = 0, b = 0] = channels(colour).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element: Element | null): string => {
      for (let at = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (channels(backgroundColor)[3] !== 0) return backgroundColor;
      }
      return "rgb(255, 255, 255)";
    };
    const contrastOf = (a: string, b: string) => {
      const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
      return (light! + 0.05) / (dark! + 0.05);
    };
    for (const button of document.querySelectorAll("button")) {
      const around = ground(button.parentElement);
      const edge = Math.max(
        contrastOf(getComputedStyle(button).borderColor, around),
        contrastOf(ground(button), around),
      );
      if (edge < needed.control) say(`the edge of "${button.textContent}" has contrast ${edge.toFixed(2)}`);
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const element = text.parentElement;
      if (!element || (text.textContent ?? "").trim() === "") continue;
      const contrast = contrastOf(getComputedStyle(element).color, ground(element));
      if (contrast < needed.text) say(`contrast ${contrast.toFixed(2)} at "${text.textContent?.trim().slice(0, 40)}"`);
    }
    return found;
  }, CONTRAST);
  return [...faults, ...(await keyboardFaults(page))];
}

/** Tab has to lead through all controls in the order in which they stand, each of them visibly. */
async function keyboardFaults(page: Page): Promise<string[]> {
  const names = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, a, input:not([type=hidden])")].map(
        (control) => control.getAttribute("aria-label") ?? control.textContent ?? "",
      ),
    );
  const expected = await names();
  const reached: string[] = [];
  const faults: string[] = [];
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  for (let n = 0; n < expected.length; n++) {
    await page.keyboard.press("Tab");
    const { name, outline } = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused) return { name: "", outline: "" };
      const { outlineStyle, outlineWidth } = getComputedStyle(focused);
      return {
        name: focused.getAttribute("aria-label") ?? focused.textContent ?? "",
        outline: outlineStyle === "none" ? "0px" : outlineWidth,
      };
    });
    reached.push(name);
    if (Number.parseFloat(outline) < 2) faults.push(`the focus on "${name}" can't be seen`);
  }
  if (reached.join("|") !== expected.join("|")) faults.push(`Tab goes ${reached.join(", ")}`);
  return faults;
}
