/** Somebody with 250 installations and 1,500 repositories signs in. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { Person } from "../../github/person.ts";
import { largeWorld } from "../../github/worlds.ts";
import { type SignInStage, startStage } from "../worker.ts";
import { atProgram, Program } from "./program.ts";

let stage: SignInStage;
beforeAll(async () => {
  stage = await startStage(largeWorld(), { ACCESS_RECHECK_SECONDS: "0" });
}, 120_000);
afterAll(() => stage?.close(), 30_000);

it("sees events of the first and the last of them, and keeps seeing them after a refresh", async () => {
  const repositories = ["org-1/repo-1", "org-1/repo-504", "org-2/repo-1", "org-101/repo-2", "org-250/repo-4"];
  for (const repository of repositories) {
    await stage.github.deliver({ event: "issues", action: "opened", repository, sender: "stranger" });
  }
  const program = await Program.register(stage.url);
  await program.signIn(new Person("mona", atProgram));
  expect(await program.repositories()).toEqual([...repositories].sort());
  expect((await program.refresh()).status).toBe(200);
  expect(await program.repositories()).toEqual([...repositories].sort());
}, 120_000);
