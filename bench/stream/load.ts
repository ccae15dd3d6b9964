/** Deliveries to one account at a steady rate, and how long each takes to every client. */
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { about } from "../../test/github/changes.ts";
import { exampleOf } from "../../test/github/examples.ts";
import type { StandInGitHub } from "../../test/github/start.ts";
import type { Http } from "../lib/http.ts";
import { cpuMs } from "../lib/process-figures.ts";
import type { Client } from "./clients.ts";

export interface Measured {
  clients: number;
  perSecond: number;
  events: number;
  /** Milliseconds from the 202 to the frame, of every frame; negative where the frame came first. */
  fromAccepted: number[];
  /** Milliseconds from sending the delivery to the frame. */
  fromSent: number[];
  /** CPU milliseconds of the server for one delivery with all its frames. */
  cpuPerEvent: number;
}

/** Sends one signed `issue_comment` at a time to the account of a repository. */
export function sender(http: Http, github: StandInGitHub, repository: string): () => Promise<string> {
  const { world, app } = github;
  const payload = { ...exampleOf("issue_comment"), ...about(world, world.repository(repository), "mona") };
  const body = JSON.stringify(payload);
  const signature = createHmac("sha256", app.webhookSecret).update(body).digest("hex");
  return async () => {
    const guid = randomUUID();
    await sendOne(http, { guid, body, signature });
    return guid;
  };
}

async function sendOne(http: Http, one: { guid: string; body: string; signature: string }): Promise<void> {
  const answer = await http.send({
    method: "POST",
    path: "/webhooks/github",
    headers: {
      "Content-Type": "application/json",
      "CF-Connecting-IP": "127.0.0.1",
      "X-GitHub-Event": "issue_comment",
      "X-GitHub-Delivery": one.guid,
      "X-GitHub-Hook-Installation-Target-Type": "integration",
      "X-GitHub-Hook-Installation-Target-ID": "1",
      "X-Hub-Signature-256": `sha256=${one.signature}`,
    },
    body: one.body,
  });
  if (answer.status !== 202) throw new Error(`delivery: ${answer.status} ${answer.body}`);
}

/** Delivers for so many seconds, and checks that every client got every event once. */
export async function measure(
  clients: readonly Client[],
  send: () => Promise<string>,
  { perSecond, seconds, pid }: { perSecond: number; seconds: number; pid: number },
): Promise<Measured> {
  const sent = new Map<string, { sent: number; accepted: number }>();
  const before = clients.map(({ ids }) => ids.length);
  const cpu = cpuMs(pid);
  const start = performance.now();
  const all = Array.from({ length: perSecond * seconds }, async (_, n) => {
    await pause(Math.max(0, start + (n * 1000) / perSecond - performance.now()));
    const began = performance.now();
    const guid = await send();
    sent.set(guid, { sent: began, accepted: performance.now() });
  });
  await Promise.all(all);
  const deadline = performance.now() + 30_000;
  while (clients.some(({ ids }, i) => ids.length - before[i]! < sent.size) && performance.now() < deadline) {
    await pause(20);
  }
  const cpuPerEvent = (cpuMs(pid) - cpu) / sent.size;
  const fromAccepted: number[] = [];
  const fromSent: number[] = [];
  for (const [i, { ids, times }] of clients.entries()) {
    const got = ids.slice(before[i]!);
    if (got.length !== sent.size || new Set(got).size !== sent.size) {
      throw new Error(`client ${i} got ${got.length} frames (${new Set(got).size} events) of ${sent.size}`);
    }
    for (const [at, id] of got.entries()) {
      const posted = sent.get(id);
      if (!posted) throw new Error(`client ${i} got ${id}, which was not sent`);
      fromAccepted.push(times[before[i]! + at]! - posted.accepted);
      fromSent.push(times[before[i]! + at]! - posted.sent);
    }
  }
  return { clients: clients.length, perSecond, events: sent.size, fromAccepted, fromSent, cpuPerEvent };
}
