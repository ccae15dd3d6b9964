/**
 * Nothing missed, nothing twice: 2,000 events arrive in three stores while connections are cut, bridges killed and the
 * runtime restarted at random. `FUZZ_SEED` repeats a run's order of faults.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { reservePort } from "../../scripts/start/wrangler.mjs";
import { type Delivery, deliver, delivery, inParallel } from "../node/support/github.ts";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { type Bridge, startBridge } from "./support/bridge.ts";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { Home } from "./support/home.ts";
import { randomFrom } from "./support/random.ts";
import { signIn } from "./support/sign-in.ts";

const SECRET = "fuzz";
const EVENTS = 2_000;
const ACCOUNTS = 3;
/** So long nothing new may come before the count is final. */
const QUIET_MS = 8_000;

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomFrom(seed);
const state = temporaryState();
const home = new Home();
const bridges: Bridge[] = [];
let proxy: CuttingProxy | undefined;

afterAll(async () => {
  for (const bridge of bridges) await bridge.close().catch(() => {});
  await proxy?.close();
  endAll();
  state.dispose();
  home.dispose();
});

const deliveries: Delivery[] = Array.from({ length: EVENTS }, (_, n) => {
  const account = (n % ACCOUNTS) + 1;
  const repository = {
    id: account,
    full_name: `o${account}/app`,
    owner: { id: account, login: `o${account}`, type: "User" },
  };
  return delivery("issues", { action: "opened", issue: { number: n, title: `event ${n}` }, repository });
});

test("every event is notified or counted, none twice in a process, at most one again after a kill", {
  timeout: 300_000,
}, async () => {
  console.log(`seed ${seed}`);
  const port = await reservePort(0);
  const start = () => startServer(state.path, { PORT: String(port), GITHUB_WEBHOOK_SECRET: SECRET });
  let server: LocalServer = await start();
  proxy = await CuttingProxy.to(port);
  bridges.push(await startBridge(proxy.url, { home }));
  await signIn(bridges[0]!);

  let kills = 0;
  const faults = {
    cut: async () => proxy!.cut(),
    killBridge: async () => {
      kills++;
      process.kill(bridges.at(-1)!.pid, "SIGKILL");
      await pause(random(1_500));
      bridges.push(await startBridge(proxy!.url, { home }));
    },
    restartRuntime: async () => {
      for (const { pid, command } of server.processes()) {
        if (/\/workerd serve/.test(command)) process.kill(pid, "SIGKILL");
      }
      await server.stop();
      server = await start();
    },
  };
  let delivered = 0;
  const happened: string[] = [];
  const chaos = (async () => {
    // Twice a restart at a random place; the rest as it comes.
    const restarts = new Set([random(8) + 3, random(8) + 12]);
    for (let step = 0; delivered < EVENTS; step++) {
      await pause(300 + random(900));
      const kind = restarts.has(step) ? "restartRuntime" : random(3) === 0 ? "killBridge" : "cut";
      happened.push(`${delivered}: ${kind}`);
      await faults[kind]();
    }
  })();

  await inParallel(deliveries, 4, async (one) => {
    // GitHub shows it as failed, and somebody redelivers it.
    while ((await deliver(`http://127.0.0.1:${port}`, SECRET, one).catch(() => null))?.status !== 202) await pause(200);
    delivered++;
    await pause(20 + random(40));
  });
  await chaos;

  await untilQuiet(() => bridges.reduce((sum, { notifications }) => sum + notifications.length, 0));
  const told = bridges.map(({ notifications }) => toldBy(notifications));
  const all = told.flatMap(({ ids }) => ids);
  const unique = new Set(all);
  const counted = told.reduce((sum, { counted }) => sum + counted, 0);
  const report = `seed ${seed}; ${kills} kills; ${happened.join(", ")}; ${bridges.at(-1)!.stderr()}`;
  for (const { ids } of told) expect(new Set(ids).size, `twice in one process: ${report}`).toBe(ids.length);
  expect(all.length - unique.size, `repeated after kills: ${report}`).toBeLessThanOrEqual(kills);
  for (const id of unique) expect(deliveries.some(({ guid }) => guid === id)).toBe(true);
  expect(unique.size + counted, `lost: ${report}`).toBeGreaterThanOrEqual(EVENTS);
  // What a process told last before it was killed, event or line, may not have been noted: it comes again.
  const again = told.slice(0, -1).reduce((sum, { last }) => sum + last, 0);
  expect(unique.size + counted, `counted too often: ${report}`).toBeLessThanOrEqual(EVENTS + again);
  console.log(`${unique.size} notified, ${counted} counted, ${all.length - unique.size} again after ${kills} kills`);
});

/** What one process has told: ids of events, how many it only counted, and for how many its last word stands. */
function toldBy(notifications: Bridge["notifications"]): { ids: string[]; counted: number; last: number } {
  const ids: string[] = [];
  let counted = 0;
  let last = 0;
  for (const { method, params } of notifications) {
    if (method !== "notifications/claude/channel") continue;
    const { content, meta } = params as { content: string; meta: { message_id: string } };
    const missed = /^(\d+) more GitHub events? came/.exec(content);
    last = Number(missed?.[1] ?? 1);
    if (missed) counted += last;
    else ids.push(meta.message_id);
  }
  return { ids, counted, last };
}

async function untilQuiet(count: () => number): Promise<void> {
  let last = -1;
  for (let since = Date.now(); Date.now() - since < QUIET_MS; await pause(100)) {
    if (count() === last) continue;
    last = count();
    since = Date.now();
  }
}
