/** What people see of the events, and how that follows what changes at GitHub: the whole product over HTTP. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Person } from "../../github/person.ts";
import { SMALL_WORLD } from "../../github/worlds.ts";
import { type SignInStage, startStage } from "../worker.ts";
import { atProgram, Program } from "./program.ts";

let stage: SignInStage;
beforeAll(async () => {
  stage = await startStage(SMALL_WORLD, { ACCESS_RECHECK_SECONDS: "0" });
  for (const repository of ["acme/rocket", "acme/website", "acme/payroll", "globex/manual", "globex/reactor"]) {
    const sent = await stage.github.deliver({ event: "issues", action: "opened", repository, sender: "mona" });
    expect(sent).toMatchObject({ status: 202 });
  }
}, 120_000);
afterAll(() => stage?.close(), 30_000);

async function signedIn(login: string): Promise<Program> {
  const program = await Program.register(stage.url);
  await program.signIn(new Person(login, atProgram));
  return program;
}

/** A bearer check may be remembered for five seconds. */
const soon = { timeout: 7_000, interval: 250 };

describe("a person sees", () => {
  it("everything of an organization that they own, and nothing of one that they have nothing to do with", async () => {
    expect(await (await signedIn("mona")).repositories()).toEqual(["acme/payroll", "acme/rocket", "acme/website"]);
  });

  it("what a member may read, and what they collaborate on", async () => {
    const seen = await (await signedIn("hubot")).repositories();
    expect(seen).toEqual(["acme/payroll", "acme/rocket", "acme/website", "globex/manual"]);
  });

  it("the one repository that they collaborate on from outside", async () => {
    expect(await (await signedIn("guest")).repositories()).toEqual(["acme/website"]);
  });
});

describe("access that changes at GitHub", () => {
  it("is lost within seconds when a webhook tells it, and the refresh goes on without it", async () => {
    const guest = await signedIn("guest");
    await stage.github.change({ kind: "add-collaborator", repository: "globex/manual", user: "guest" });
    await guest.refresh();
    expect(await guest.repositories()).toContain("globex/manual");

    await stage.github.change({ kind: "remove-collaborator", repository: "globex/manual", user: "guest" });
    await vi.waitFor(async () => expect((await guest.get("/api/pending-events")).status).toBe(401), soon);
    expect((await guest.refresh()).status).toBe(200);
    const seen = await guest.repositories();
    expect(seen).toContain("acme/website");
    expect(seen).not.toContain("globex/manual");
  }, 30_000);

  it("is lost at the next refresh when the webhook got lost", async () => {
    const guest = await signedIn("guest");
    await stage.github.change(
      { kind: "add-collaborator", repository: "acme/rocket", user: "guest" },
      { quietly: true },
    );
    await guest.refresh();
    expect(await guest.repositories()).toContain("acme/rocket");
    await stage.github.change(
      { kind: "remove-collaborator", repository: "acme/rocket", user: "guest" },
      { quietly: true },
    );
    await guest.refresh();
    expect(await guest.repositories()).not.toContain("acme/rocket");
  });

  it("grows by a new organization without a new sign-in", async () => {
    const guest = await signedIn("guest");
    const organization = { login: "newcomer", members: ["guest"] };
    await stage.github.change({ kind: "new-organization", organization, repositories: ["first"] });
    const repository = "newcomer/first";
    await stage.github.deliver({ event: "issues", action: "opened", repository, sender: "guest" });
    expect((await guest.refresh()).status).toBe(200);
    expect(await guest.repositories()).toContain(repository);
  });

  it.each(["suspend", "uninstall"] as const)(
    "ends with the installation (%s)",
    async (kind) => {
      const login = `tenant-${kind}`;
      const organization = { login, members: ["hubot"] };
      await stage.github.change({ kind: "new-organization", organization, repositories: ["first"] });
      await stage.github.deliver({ event: "issues", action: "opened", repository: `${login}/first`, sender: "hubot" });
      const hubot = await signedIn("hubot");
      expect(await hubot.repositories()).toContain(`${login}/first`);
      await stage.github.change({ kind, account: login });
      await vi.waitFor(async () => expect((await hubot.get("/api/pending-events")).status).toBe(401), soon);
      await hubot.refresh();
      expect(await hubot.repositories()).not.toContain(`${login}/first`);
    },
    30_000,
  );

  it("ends with the membership in an organization", async () => {
    const hubot = await signedIn("hubot");
    await stage.github.change({ kind: "remove-member", organization: "acme", user: "hubot" });
    await vi.waitFor(async () => expect((await hubot.get("/api/pending-events")).status).toBe(401), soon);
    await hubot.refresh();
    expect((await hubot.repositories()).filter((name) => name.startsWith("acme/"))).toEqual([]);
  }, 30_000);

  it("ends altogether when the person takes back the authorization, for all of their grants", async () => {
    const [one, other, bystander] = [await signedIn("hubot"), await signedIn("hubot"), await signedIn("mona")];
    await stage.github.change({ kind: "revoke-authorization", user: "hubot" });
    for (const program of [one, other]) {
      await vi.waitFor(async () => expect((await program.get("/api/pending-status")).status).toBe(401), soon);
      expect((await program.refresh()).body).toMatchObject({ error: "invalid_grant" });
    }
    expect((await bystander.get("/api/pending-status")).status).toBe(200);
  }, 30_000);

  it("ends at the next refresh when that webhook got lost", async () => {
    const guest = await signedIn("guest");
    await stage.github.change({ kind: "revoke-authorization", user: "guest" }, { quietly: true });
    expect((await guest.refresh()).body).toMatchObject({ error: "invalid_grant" });
  });
});
