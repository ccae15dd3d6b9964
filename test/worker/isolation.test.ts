/**
 * Nobody sees what GitHub does not let them see: not by any tool, route, search, resource, cursor or live feed, and
 * not by a count. Worlds of accounts, repositories, events and viewers are drawn at random, and what each viewer gets
 * is compared with what they may see.
 *
 * Every event carries a word that stands nowhere else (in its title, its body, its sender and its payload), and
 * everything that goes over a viewer's wire is searched for the words and ids of events beyond them.
 */
import type { EventSummary, WebhookEvent } from "@github-webhook-mcp/shared/events.ts";
import type { Client } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Inbox } from "../../worker/src/inbox/inbox.ts";
import { LiveFeeds } from "../../worker/src/inbox/live.ts";
import type { Viewer } from "../../worker/src/viewer.ts";
import { deliver, newGuid } from "../support/deliveries.ts";
import { callTool, type ToolResult } from "../support/mcp.ts";
import { issue, type Owner } from "../support/payloads.ts";
import { get, getJson, postMark } from "../support/rest.ts";
import { connectAs, restAs, seat, stores } from "../support/viewers.ts";
import type { Fetch } from "../support/worker.ts";

/** What went over a viewer's wire. */
type Wire = { request: string; response: string }[];

interface PlannedEvent {
  account: number;
  /** Null: an event of the organization itself. */
  repository: number | null;
  type: "issues" | "push";
}

/** What a viewer has of an account: nothing, some repositories (a bit mask), or all. */
type Access = null | { repositories: number; owner: boolean } | "all";

interface World {
  /** Number of repositories of each account. */
  accounts: number[];
  events: PlannedEvent[];
  viewers: Access[][];
}

const ACCOUNTS = 3;
const REPOSITORIES = 3;

const access = fc.oneof(
  fc.constant(null),
  fc.constant("all" as const),
  fc.record({ repositories: fc.integer({ min: 0, max: 2 ** REPOSITORIES - 1 }), owner: fc.boolean() }),
);

const world: fc.Arbitrary<World> = fc.record({
  accounts: fc.array(fc.integer({ min: 1, max: REPOSITORIES }), { minLength: ACCOUNTS, maxLength: ACCOUNTS }),
  events: fc.array(
    fc.record({
      account: fc.nat(ACCOUNTS - 1),
      repository: fc.option(fc.nat(REPOSITORIES - 1), { freq: 4 }),
      type: fc.constantFrom("issues" as const, "push" as const),
    }),
    { minLength: 3, maxLength: 16 },
  ),
  viewers: fc.array(fc.array(access, { minLength: ACCOUNTS, maxLength: ACCOUNTS }), { minLength: 3, maxLength: 3 }),
});

const grownWithinAnAccount: World = {
  accounts: [2, 1, 1],
  events: [0, 1, null, 1, 0, 1].map((repository) => ({ account: 0, repository, type: "issues" })),
  viewers: [[{ repositories: 1, owner: false }, null, null], ["all", null, null], []],
};

interface Happened {
  id: string;
  /** Stands in this event and nowhere else. */
  word: string;
  type: string;
  accountId: number;
  repository: number | null;
  fullName: string | null;
}

/** Each world has accounts of its own, so that they don't meet. */
let worlds = 0;

class Stage {
  readonly #base = 10_000 * ++worlds;
  readonly #world: World;
  readonly happened: Happened[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  owner(account: number): Owner {
    const id = this.#base + account;
    return { id, login: `org-${id}`, type: "Organization" };
  }

  /** The repository's id; unique over all accounts. */
  repositoryId(account: number, repository: number): number {
    return this.#base + 100 + account * 10 + (repository % this.#world.accounts[account]!);
  }

  viewer(userId: number, accesses: readonly Access[]): Viewer {
    const accounts = accesses.flatMap((access, account) => {
      if (access === null) return [];
      const owner = this.owner(account);
      if (access === "all") return [seat(owner, "all")];
      const ids = Array.from({ length: REPOSITORIES }, (_, i) => i)
        .filter((i) => access.repositories & (1 << i))
        .map((i) => this.repositoryId(account, i));
      return [seat(owner, [...new Set(ids)], access.owner)];
    });
    return { userId: this.#base + userId, accounts };
  }

  /** Delivers one event over HTTP. */
  async happen({ account, repository, type }: PlannedEvent): Promise<void> {
    const owner = this.owner(account);
    const guid = newGuid();
    const word = `word${guid.replaceAll("-", "")}`;
    const id = repository === null ? null : this.repositoryId(account, repository);
    const about = issue({
      owner,
      repository: { id: id ?? 0, name: `repo-${id}` },
      title: `shared ${word}`,
      body: word,
      sender: { login: word, type: "User" },
    });
    if (id === null) delete about.repository;
    const commit = { message: `shared ${word}` };
    await deliver({ ...about, ref: `refs/heads/${word}`, head_commit: commit, note: word }, { guid, event: type });
    const fullName = id === null ? null : `${owner.login}/repo-${id}`;
    this.happened.push({ id: guid, word, type, accountId: owner.id, repository: id, fullName });
  }
}

function maySee({ accounts }: Viewer, event: Happened): boolean {
  const account = accounts.find(({ accountId }) => accountId === event.accountId);
  if (!account) return false;
  if (account.repositories === "all") return true;
  return event.repository === null ? account.orgOwner : account.repositories.has(event.repository);
}

/** What someone has who is given both. */
function union(a: Access, b: Access): Access {
  if (a === null || b === null) return a ?? b;
  if (a === "all" || b === "all") return "all";
  return { repositories: a.repositories | b.repositories, owner: a.owner || b.owner };
}

const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id).sort();

/** One viewer at all their doors, and everything that came through them. */
class Watcher {
  readonly viewer: Viewer;
  readonly #stage: Stage;
  readonly client: Client;
  readonly rest: Fetch;
  readonly #wire: Wire;

  private constructor(stage: Stage, viewer: Viewer, client: Client, rest: Fetch, wire: Wire) {
    this.#stage = stage;
    this.viewer = viewer;
    this.client = client;
    this.rest = rest;
    this.#wire = wire;
  }

  static async at(stage: Stage, viewer: Viewer): Promise<Watcher> {
    const wire: Wire = [];
    const overhear = (request: string, response: string) => wire.push({ request, response });
    return new Watcher(stage, viewer, await connectAs(viewer, overhear), restAs(viewer, overhear), wire);
  }

  get visible(): Happened[] {
    return this.#stage.happened.filter((event) => maySee(this.viewer, event));
  }

  get hidden(): Happened[] {
    return this.#stage.happened.filter((event) => !maySee(this.viewer, event));
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
    return callTool(this.client, name, args);
  }

  /** All pages of a tool that lists, from a cursor or from its beginning. */
  async pages(name: string, args: Record<string, unknown>, from?: string): Promise<{ id: string; cursor?: string }[]> {
    const found: { id: string; cursor?: string }[] = [];
    for (let cursor = from, round = 0; ; round++) {
      expect(round).toBeLessThan(50);
      const result = await this.call(name, { ...args, ...(cursor !== undefined && { cursor }) });
      expect(result.isError).toBeFalsy();
      const events = JSON.parse(result.content[0]!.text) as { id: string; cursor?: string }[];
      found.push(...events);
      cursor = result.structuredContent?.next_cursor as string | undefined;
      // A wait always gives a cursor; it is at its end when nothing came.
      if (cursor === undefined || (name === "wait_for_events" && events.length === 0)) return found;
    }
  }

  /** Nothing of an event beyond this viewer has come over the wire, unless the viewer had named its id. */
  expectNoLeak(): void {
    for (const { request, response } of this.#wire) {
      for (const { id, word } of this.hidden) {
        if (response.includes(word) && !request.includes(word)) expect.fail(`${request} shows ${id}: ${response}`);
        if (response.includes(id) && !request.includes(id)) expect.fail(`${request} names ${id}: ${response}`);
      }
    }
  }

  /** Every way to read gives the events that this viewer may see, and no sign of others. */
  async expectExactlyTheirs(): Promise<void> {
    const { visible, hidden, rest } = this;
    const theirs = idsOf(visible);
    const types: Record<string, number> = {};
    for (const { type } of visible) types[type] = (types[type] ?? 0) + 1;

    const status = { pending_count: visible.length, types };
    expect(JSON.parse((await this.call("get_pending_status")).content[0]!.text)).toMatchObject(status);
    expect(await getJson("/api/pending-status", {}, rest)).toMatchObject(status);

    for (const args of [{ order: "newest" }, { order: "oldest" }, { include_processed: true }]) {
      expect(idsOf(await this.pages("list_pending_events", { limit: 3, ...args }))).toEqual(theirs);
    }
    expect(idsOf(await this.pages("get_webhook_events", { limit: 5 }))).toEqual(theirs);
    expect(idsOf(await this.pages("wait_for_events", { timeout_seconds: 0 }, "s1"))).toEqual(theirs);
    expect(idsOf(await getJson<EventSummary[]>("/api/pending-events", { limit: 100 }, rest))).toEqual(theirs);
    expect(idsOf(await getJson<WebhookEvent[]>("/api/webhook-events", { limit: 100 }, rest))).toEqual(theirs);
    expect(idsOf(await this.pages("search_events", { query: "shared", limit: 100 }))).toEqual(theirs);
    const { contents } = await this.client.readResource({ uri: "github-webhook://events" });
    expect(idsOf(JSON.parse((contents[0] as { text: string }).text).events)).toEqual(theirs);

    for (const event of visible) await this.#expectSeen(event);
    for (const event of hidden) await this.#expectUnseen(event);
    this.expectNoLeak();
  }

  async #expectSeen({ id, word }: Happened): Promise<void> {
    const event = JSON.parse((await this.call("get_event", { event_id: id })).content[0]!.text) as WebhookEvent;
    expect(event).toMatchObject({ id, payload: { note: word } });
    expect(idsOf(await this.pages("search_events", { query: word }))).toEqual([id]);
  }

  /** An event beyond the viewer is answered as one that was never there. */
  async #expectUnseen({ id, word, fullName }: Happened): Promise<void> {
    const unknown = "5eed0000-0000-4000-8000-ffffffffffff";
    for (const [name, args] of [
      ["get_event", (event: string) => ({ event_id: event })],
      ["get_event", (event: string) => ({ event_id: event, path: "/note" })],
      ["mark_processed", (event: string) => ({ event_id: event })],
      ["mark_processed", (event: string) => ({ event_ids: [event] })],
    ] as const) {
      const [hidden, absent] = [await this.call(name, args(id)), await this.call(name, args(unknown))];
      expect(hidden.isError).toBe(true);
      expect(JSON.stringify(hidden).replaceAll(id, unknown)).toBe(JSON.stringify(absent));
    }
    for (const path of ["/api/event"]) {
      const [hidden, absent] = [await get(path, { id }, this.rest), await get(path, { id: unknown }, this.rest)];
      expect(hidden.status).toBe(404);
      expect((await hidden.text()).replaceAll(id, unknown)).toBe(await absent.text());
    }
    expect((await postMark({ event_id: id }, this.rest)).status).toBe(404);
    await expect(this.client.readResource({ uri: `github-webhook://event/${id}` })).rejects.toThrow();
    for (const args of [{ query: word }, { query: id }]) expect(await this.pages("search_events", args)).toEqual([]);
    expect(await this.pages("list_pending_events", { sender: word, include_processed: true })).toEqual([]);
    if (fullName === null) return;
    const visibleThere = this.visible.filter((event) => event.fullName === fullName);
    expect(await this.pages("list_pending_events", { repo: fullName })).toHaveLength(visibleThere.length);
  }

  /** Every cursor that this viewer can get hold of. */
  async cursors(): Promise<string[]> {
    const status = (await this.call("get_pending_status")).structuredContent as { cursor: string };
    const list = (await this.call("list_pending_events", { limit: 2 })).structuredContent as {
      events: EventSummary[];
      next_cursor?: string;
    };
    const oldest = (await this.call("list_pending_events", { limit: 1, order: "oldest" })).structuredContent;
    const all = [status.cursor, list.next_cursor, oldest?.next_cursor as string, ...list.events.map((e) => e.cursor)];
    return [...new Set(all.filter((cursor) => cursor !== undefined))];
  }
}

test("a viewer gets the events that they may see, by every road, and no sign of the others", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (drawn) => {
      const stage = new Stage(drawn);
      for (const event of drawn.events) await stage.happen(event);
      for (const [userId, accesses] of drawn.viewers.entries()) {
        const viewer = stage.viewer(userId + 1, accesses);
        if (viewer.accounts.length > 0) await (await Watcher.at(stage, viewer)).expectExactlyTheirs();
      }
    }),
    { numRuns: 7 },
  );
}, 240_000);

test("another viewer's cursor shows, and marks, nothing beyond the viewer who uses it", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (drawn) => {
      const stage = new Stage(drawn);
      const half = Math.ceil(drawn.events.length / 2);
      for (const event of drawn.events.slice(0, half)) await stage.happen(event);
      const watchers: Watcher[] = [];
      for (const [userId, accesses] of drawn.viewers.entries()) {
        const viewer = stage.viewer(userId + 1, accesses);
        if (viewer.accounts.length > 0) watchers.push(await Watcher.at(stage, viewer));
      }
      const all = (await Watcher.at(stage, stage.viewer(9, ["all", "all", "all"]))) as Watcher;
      const cursors = (await Promise.all([...watchers, all].map((watcher) => watcher.cursors()))).flat();
      for (const event of drawn.events.slice(half)) await stage.happen(event);

      for (const watcher of watchers) {
        const theirs = new Set(watcher.visible.map(({ id }) => id));
        for (const cursor of cursors) {
          for (const [name, args] of [
            ["list_pending_events", { limit: 4 }],
            ["list_pending_events", { limit: 4, order: "oldest" }],
            ["get_webhook_events", { limit: 4 }],
            ["wait_for_events", { timeout_seconds: 0 }],
          ] as const) {
            const found = await watcher.pages(name, args, cursor);
            expect(found.filter(({ id }) => !theirs.has(id))).toEqual([]);
            expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
          }
        }
        // Marks by any cursor: what was beyond the viewer is still pending when they come to see it.
        for (const cursor of cursors) {
          const { isError } = await watcher.call("mark_processed", { up_to_cursor: cursor });
          expect(isError).toBeFalsy();
        }
        const grown: Viewer = { ...stage.viewer(9, ["all", "all", "all"]), userId: watcher.viewer.userId };
        const sees = await Watcher.at(stage, grown);
        const pending = new Set((await sees.pages("list_pending_events", { limit: 100 })).map(({ id }) => id));
        expect(watcher.hidden.filter(({ id }) => !pending.has(id))).toEqual([]);
        watcher.expectNoLeak();
      }
      // What one viewer marks stays pending for another.
      expect(idsOf(await all.pages("list_pending_events", { limit: 100 }))).toEqual(idsOf(stage.happened));
    }),
    { numRuns: 3 },
  );
}, 240_000);

test("up_to_cursor marks all that the viewer was shown, and for them alone", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (drawn) => {
      const stage = new Stage(drawn);
      for (const event of drawn.events) await stage.happen(event);
      const viewer = stage.viewer(1, drawn.viewers[0]!);
      if (viewer.accounts.length === 0) return;
      const watcher = await Watcher.at(stage, viewer);
      const { cursor } = (await watcher.call("get_pending_status")).structuredContent as { cursor: string };
      const result = await watcher.call("mark_processed", { up_to_cursor: cursor });
      expect(result.structuredContent).toMatchObject({ success: true, marked: watcher.visible.length });
      expect(await watcher.pages("list_pending_events", {})).toEqual([]);
      const colleague = await Watcher.at(stage, { ...viewer, userId: viewer.userId + 50 });
      expect(idsOf(await colleague.pages("list_pending_events", { limit: 100 }))).toEqual(idsOf(watcher.visible));
    }),
    { numRuns: 10 },
  );
}, 120_000);

test("when access has grown, an old cursor delivers what became visible once, and marks none of it", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (drawn) => {
      const stage = new Stage(drawn);
      const [before, more] = drawn.viewers as [Access[], Access[]];
      const half = Math.ceil(drawn.events.length / 2);
      for (const event of drawn.events.slice(0, half)) await stage.happen(event);
      const early = stage.viewer(1, before);
      if (early.accounts.length === 0) return;
      const first = await Watcher.at(stage, early);
      const shown = new Set(idsOf(first.visible));
      const { cursor } = (await first.call("get_pending_status")).structuredContent as { cursor: string };

      const grown = await Watcher.at(
        stage,
        stage.viewer(
          1,
          before.map((access, i) => union(access, more[i]!)),
        ),
      );
      for (const event of drawn.events.slice(half)) await stage.happen(event);
      const fresh = idsOf(grown.visible.filter(({ id }) => !shown.has(id)));
      expect(idsOf(await grown.pages("wait_for_events", { timeout_seconds: 0 }, cursor))).toEqual(fresh);
      await grown.call("mark_processed", { up_to_cursor: cursor });
      const pending = new Set(idsOf(await grown.pages("list_pending_events", { limit: 100 })));
      expect(fresh.filter((id) => !pending.has(id))).toEqual([]);
      grown.expectNoLeak();
    }),
    // Growth within one account, which a random draw does not always make: one repository, then all.
    { numRuns: 12, examples: [[grownWithinAnAccount]] },
  );
}, 120_000);

test("a viewer's live feeds tell the events that they may see, and no others", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (drawn) => {
      const stage = new Stage(drawn);
      const listeners = [];
      for (const [userId, accesses] of drawn.viewers.entries()) {
        const viewer = stage.viewer(userId + 1, accesses);
        const heard: string[] = [];
        const feeds = new LiveFeeds(
          new Inbox({ stores, viewer }),
          {},
          { onEvent: (_, row) => heard.push(row.id), onDown: () => heard.push("down") },
        );
        expect(await feeds.connect()).toEqual([]);
        listeners.push({ viewer, heard, feeds });
      }
      for (const event of drawn.events) await stage.happen(event);
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const { viewer, heard, feeds } of listeners) {
        feeds.close();
        expect([...heard].sort()).toEqual(idsOf(stage.happened.filter((event) => maySee(viewer, event))));
      }
    }),
    { numRuns: 10 },
  );
}, 120_000);
