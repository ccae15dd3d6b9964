/**
 * Nobody hears of an event that they may not see: not replayed, not live, not in a cursor, and not after their access
 * has changed. Accounts, repositories, events and viewers are drawn at random; every event carries a word that stands
 * nowhere else, and all that goes over a viewer's wire is searched for the words and ids of the others.
 */
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { Viewer } from "../../../worker/src/viewer.ts";
import { deliver, newGuid } from "../../support/deliveries.ts";
import { issue, type Owner, wipe } from "../../support/payloads.ts";
import { KINDS, type StreamClient, streams } from "../../support/stream.ts";
import { eventsAs, seat } from "../../support/viewers.ts";

afterEach(async () => {
  await streams.closeAll();
  await wipe();
});

const ACCOUNTS = 2;
const REPOSITORIES = 3;

/** A bit mask of repositories, with or without the organization's own events; `all`; or nothing. */
type Access = null | "all" | { repositories: number; owner: boolean };

const access: fc.Arbitrary<Access> = fc.oneof(
  fc.constant(null),
  fc.constant("all" as const),
  fc.record({ repositories: fc.nat(2 ** REPOSITORIES - 1), owner: fc.boolean() }),
);
const event = fc.record({
  account: fc.nat(ACCOUNTS - 1),
  repository: fc.option(fc.nat(REPOSITORIES - 1), { freq: 4 }),
});
const accesses = fc.array(access, { minLength: ACCOUNTS, maxLength: ACCOUNTS });

interface Happened {
  id: string;
  word: string;
  account: number;
  repository: number | null;
}

let worlds = 0;

test("what a stream says is what its viewer may see, no more and no less", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(accesses, { minLength: 3, maxLength: 3 }),
      fc.array(event, { minLength: 1, maxLength: 8 }),
      fc.array(event, { minLength: 1, maxLength: 8 }),
      async (viewers, before, after) => {
        const base = 1_000_000 + 1_000 * ++worlds;
        const owners = Array.from({ length: ACCOUNTS }, (_, i): Owner => {
          return { id: base + i, login: `org-${base + i}`, type: "Organization" };
        });
        const repositoryId = (account: number, repository: number) => base + 100 + 10 * account + repository;
        const happened: Happened[] = [];
        const happen = async ({ account, repository }: { account: number; repository: number | null }) => {
          const guid = newGuid();
          const word = `word${guid.replaceAll("-", "")}`;
          const owner = owners[account]!;
          const about = issue({
            owner,
            repository: { id: repository === null ? 0 : repositoryId(account, repository), name: `r${repository}` },
            title: word,
            sender: { login: word, type: "User" },
          });
          if (repository === null) delete about.repository;
          await deliver(about, { guid });
          happened.push({ id: guid, word, account, repository });
        };
        for (const one of before) await happen(one);

        const watched = await Promise.all(
          viewers.map(async (given, i) => {
            const viewer = viewerOf(base + i, given);
            const open = KINDS[i % KINDS.length]![1];
            const stream: StreamClient = await open("?cursor=s1", {}, eventsAs(viewer));
            await stream.until(() => stream.frames.length > 0);
            return { given, stream };
          }),
        );
        for (const one of after) await happen(one);

        for (const { given, stream } of watched) {
          const theirs = happened.filter(({ account, repository }) => sees(given[account]!, repository));
          const ids = (await stream.untilEvents(theirs.length)).map(({ event_id }) => event_id);
          expect(ids.sort()).toEqual(theirs.map(({ id }) => id).sort());
        }
        // A moment for what must not come.
        await new Promise((done) => setTimeout(done, 20));
        for (const { given, stream } of watched) {
          const wire = stream.lines.join("\n");
          for (const { id, word, account, repository } of happened) {
            if (sees(given[account]!, repository)) continue;
            expect(wire).not.toContain(id);
            expect(wire).not.toContain(word);
          }
          await stream.close();
        }

        function viewerOf(userId: number, given: readonly Access[]): Viewer {
          const accounts = given.flatMap((one, account) => {
            if (one === null) return [];
            if (one === "all") return [seat(owners[account]!, "all")];
            const ids = Array.from({ length: REPOSITORIES }, (_, i) => i)
              .filter((i) => one.repositories & (1 << i))
              .map((i) => repositoryId(account, i));
            return [seat(owners[account]!, ids, one.owner)];
          });
          return { userId, accounts };
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
}, 120_000);

function sees(access: Access, repository: number | null): boolean {
  if (access === null || access === "all") return access === "all";
  return repository === null ? access.owner : (access.repositories & (1 << repository)) !== 0;
}
