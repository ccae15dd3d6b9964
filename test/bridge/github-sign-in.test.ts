/** Two people sign in with bridges of their own, through the consent page and the stand-in GitHub. */
import type { EventSummary } from "@github-webhook-mcp/shared/events.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type SignInStage, startStage } from "../clients/worker.ts";
import { Person } from "../github/person.ts";
import { SMALL_WORLD } from "../github/worlds.ts";
import { type Bridge, startBridge, textsOf } from "./support/bridge.ts";
import { signIn } from "./support/sign-in.ts";

let stage: SignInStage;
const bridges: Bridge[] = [];

beforeAll(async () => {
  stage = await startStage(SMALL_WORLD, { ACCESS_RECHECK_SECONDS: "0" });
  for (const repository of ["acme/rocket", "acme/website", "globex/manual"]) {
    await stage.github.deliver({ event: "issues", action: "opened", repository, sender: "mona" });
  }
}, 120_000);
afterAll(async () => {
  await Promise.all(bridges.map((bridge) => bridge.close()));
  await stage?.close();
}, 60_000);

async function start(): Promise<Bridge> {
  const bridge = await startBridge(stage.url);
  bridges.push(bridge);
  return bridge;
}

async function repositories(bridge: Bridge): Promise<string[]> {
  const { isError, structuredContent, content } = await bridge.call("list_pending_events", { limit: 100 });
  if (isError) throw new Error(JSON.stringify(content));
  return (structuredContent!.events as EventSummary[]).map(({ repo }) => repo!).sort();
}

test("each sees what GitHub lets them see", { timeout: 90_000 }, async () => {
  const [mona, guest] = [await start(), await start()];
  await signIn(mona, "mona");
  await signIn(guest, "guest");
  expect(await repositories(mona)).toEqual(["acme/rocket", "acme/website"]);
  expect(await repositories(guest)).toEqual(["acme/website"]);
});

test("access that is lost ends the token, and the same session goes on without it", { timeout: 60_000 }, async () => {
  const [, guest] = bridges;
  const before = guest!.home.state(stage.url).tokens!.accessToken;
  await stage.github.change({ kind: "add-collaborator", repository: "globex/manual", user: "guest" });
  await stage.github.change({ kind: "remove-collaborator", repository: "globex/manual", user: "guest" });
  // A bearer check is remembered for five seconds.
  await vi.waitFor(
    async () => {
      expect(await repositories(guest!)).toEqual(["acme/website"]);
      expect(guest!.home.state(stage.url).tokens!.accessToken).not.toBe(before);
    },
    { timeout: 20_000, interval: 500 },
  );
  expect(guest!.home.opened(), "nobody was asked to sign in again").toHaveLength(1);
});

test("who says no is not signed in, and the next call after that begins anew", { timeout: 60_000 }, async () => {
  const bridge = await start();
  const page = async () => /Open (\S+)/.exec(textsOf(await bridge.call("get_pending_status"))[0] ?? "")![1]!;
  const first = await page();
  const person = new Person("guest");
  await person.press(await person.open(first), /cancel/i);
  await vi.waitFor(async () => expect(await page()).not.toBe(first), { timeout: 20_000, interval: 500 });
  expect(bridge.stderr()).toContain("denied");
});
