import { afterAll, expect, test } from "vitest";
import { type Delivery, deliver, delivery, inParallel } from "./support/github.ts";
import { endAll, startServer, temporaryState } from "./support/local-server.ts";
import { Rest } from "./support/rest.ts";

const SECRET = "durability";
const COUNT = 500;
const WIDTH = 16;
const REPOSITORIES = 7;
const TYPES = ["issues", "push", "workflow_run", "issue_comment"];

const state = temporaryState();
afterAll(() => {
  endAll();
  state.dispose();
});

/** Deliveries of some repositories of two accounts, each payload its own, a few of them large. */
const deliveries: Delivery[] = Array.from({ length: COUNT }, (_, index) => {
  const repository = (index % REPOSITORIES) + 1;
  const account = (repository % 2) + 1;
  return delivery(TYPES[index % TYPES.length]!, {
    action: "opened",
    number: index,
    filler: `${index} `.repeat(index % 100 === 0 ? 100_000 : 50),
    sender: { id: 9, login: "octocat", type: "User" },
    repository: {
      id: repository,
      name: `r${repository}`,
      full_name: `o${account}/r${repository}`,
      owner: { id: account, login: `o${account}`, type: "Organization" },
    },
  });
});

test("what was answered 202 outlives a killed runtime, and a redelivery of all makes each event exactly once", {
  timeout: 240_000,
}, async () => {
  let server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
  const killAt = 50 + Math.floor(Math.random() * (COUNT - 100));
  console.log(`killing workerd at delivery ${killAt}`);
  const accepted = new Set<string>();
  let sent = 0;
  await inParallel(deliveries, WIDTH, async (one) => {
    if (sent++ === killAt) {
      const runtimes = server.processes().filter(({ command }) => /\/workerd serve/.test(command));
      expect(runtimes.length).toBeGreaterThan(0);
      for (const { pid } of runtimes) process.kill(pid, "SIGKILL");
    }
    const answer = await deliver(server.url, SECRET, one).catch(() => null);
    if (answer?.status === 202) accepted.add(one.guid);
  });
  // Some were answered before the kill; some were under way.
  expect(accepted.size).toBeGreaterThan(0);
  await server.stop();

  server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
  let duplicates = 0;
  await inParallel(deliveries, WIDTH, async (one) => {
    const answer = await deliver(server.url, SECRET, one);
    expect(answer).toMatchObject({ status: 202, body: { accepted: true, id: one.guid } });
    const duplicate = typeof answer.body === "object" && answer.body.duplicate === true;
    if (duplicate) duplicates++;
    if (accepted.has(one.guid)) expect(duplicate, `${one.guid} was answered 202 and lost`).toBe(true);
  });
  expect(duplicates).toBeGreaterThanOrEqual(accepted.size);

  const rest = new Rest(server);
  const events = await rest.listAll();
  expect(events.map(({ id }) => id).sort()).toEqual(deliveries.map(({ guid }) => guid).sort());
  expect(await rest.status()).toEqual(recount(events));

  // Nothing is half-stored: every payload is whole.
  await inParallel(deliveries, WIDTH, async ({ guid, event, body }) => {
    const stored = await rest.event(guid);
    expect(stored.type).toBe(event);
    expect(stored.payload).toEqual(JSON.parse(body));
  });

  // The counters go on from there, over another start.
  const marked = events.filter((_, index) => index % 5 === 0).map(({ id }) => id);
  await rest.mark({ event_ids: marked.slice(0, 50) });
  await rest.mark({ event_ids: marked.slice(50) });
  await server.stop();
  server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
  const again = new Rest(server);
  const left = await again.listAll();
  expect(left).toHaveLength(COUNT - marked.length);
  expect(await again.status()).toEqual(recount(left));
  expect(await again.listAll({ include_processed: "true" })).toHaveLength(COUNT);
  await server.stop();
});

/** What a status has to say about these pending events. */
function recount(events: { type: string; received_at: string }[]) {
  const types: Record<string, number> = {};
  for (const { type } of events) types[type] = (types[type] ?? 0) + 1;
  const latest = events
    .map(({ received_at }) => received_at)
    .sort()
    .at(-1);
  return { pending_count: events.length, latest_received_at: latest ?? null, types };
}
