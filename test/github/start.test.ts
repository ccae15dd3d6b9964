/** The stand-in as a process of its own, steered over HTTP, and what it sends to a Worker. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { verify } from "@octokit/webhooks-methods";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Listener, listen } from "./http.ts";

const SECRET = "webhook-secret-of-this-test";

let standIn: ChildProcess;
let url: string;
let worker: Listener;
const received: { headers: Headers; body: string }[] = [];

beforeAll(async () => {
  worker = await listen(async (request) => {
    received.push({ headers: request.headers, body: await request.text() });
    return Response.json({ accepted: true }, { status: 202 });
  });
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const options = JSON.stringify({ callbackUrls: [], webhookSecret: SECRET, webhookUrl: `${worker.url}/hook` });
  standIn = spawn(process.execPath, [main, options], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: standIn.stdout! }), "line");
  url = JSON.parse(line).url;
}, 30_000);
afterAll(async () => {
  const ended = once(standIn, "exit");
  standIn.kill("SIGTERM");
  await ended;
  await worker.close();
});

async function steer(action: string, body: unknown) {
  const answer = await fetch(`${url}/_stand-in/${action}`, { method: "POST", body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

it("changes on demand, and tells the Worker by a signed webhook with a GUID of its own", async () => {
  const change = { kind: "remove-collaborator", repository: "acme/website", user: "guest" };
  const { body } = await steer("change", change);
  expect(body).toMatchObject({ delivery: { event: "member", status: 202 } });
  await steer("deliver", { event: "issues", action: "opened", repository: "acme/rocket", sender: "mona" });

  const [member, issue] = received;
  expect(await verify(SECRET, member!.body, member!.headers.get("x-hub-signature-256")!)).toBe(true);
  expect(member!.headers.get("x-github-hook-installation-target-type")).toBe("integration");
  const payload = JSON.parse(issue!.body);
  expect(payload).toMatchObject({
    action: "opened",
    repository: { full_name: "acme/rocket" },
    sender: { login: "mona" },
  });
  expect(payload.installation.id).toBe(JSON.parse(member!.body).installation.id);
  const guids = received.map(({ headers }) => headers.get("x-github-delivery"));
  expect(new Set(guids).size).toBe(2);
  for (const guid of guids) expect(guid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

it("fails on demand, as often as it is told", async () => {
  await steer("faults", [{ kind: "server-error", path: "/user", times: 1 }]);
  expect((await fetch(`${url}/api/v3/user`)).status).toBe(502);
  expect((await fetch(`${url}/api/v3/user`)).status).toBe(401);
});

it("says what is wrong with a change that makes no sense", async () => {
  const answer = await steer("change", { kind: "suspend", account: "nobody" });
  expect(answer).toMatchObject({ status: 422, body: { message: expect.stringContaining("nobody") } });
});
