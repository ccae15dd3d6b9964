/** What a person does on the way in: says yes on our page, chooses an account on GitHub's. */
import type { Page } from "playwright-core";

/** Goes on from the consent page, and chooses an account. */
export async function approve(page: Page, login = "mona"): Promise<void> {
  await page.getByRole("button", { name: "Continue" }).click();
  await choose(page, login);
}

/** Chooses an account on GitHub's page. */
export async function choose(page: Page, login: string): Promise<void> {
  await page
    .locator("form", { has: page.locator(`input[value="${login}"]`) })
    .locator("button")
    .click();
}
