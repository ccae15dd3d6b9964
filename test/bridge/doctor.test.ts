/** `doctor`, `login` and `logout` as a person runs them: the built file, `npm start`, and one click. */
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Person } from "../github/person.ts";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { BRIDGE } from "./support/bridge.ts";
import { Home } from "./support/home.ts";

const SECRET = "doctor";
const state = temporaryState();
const home = new Home();
let server: LocalServer;

beforeAll(async () => {
  server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
}, 90_000);
afterAll(() => {
  endAll();
  state.dispose();
  home.dispose();
});

/** Runs a command of the bridge; what it has said so far, and its exit code in the end. */
function run(command: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [BRIDGE, command], {
    env: { ...home.env, WEBHOOK_WORKER_URL: server.url, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = new Promise<number | null>((done) => child.on("close", done));
  return { code, output: () => output };
}

test("before anybody has signed in, doctor says what to do", async () => {
  const doctor = run("doctor");
  expect(await doctor.code).toBe(1);
  expect(doctor.output()).toMatch(/FAIL {2}sign-in: .*npx github-webhook-mcp login/);
});

test("login waits for the page, and doctor then finds everything in order, a test event included", async () => {
  const login = run("login");
  await vi.waitFor(() => expect(login.output()).toMatch(/Open \S+/), { timeout: 10_000 });
  const url = /Open (\S+)/.exec(login.output())![1]!;
  expect(home.opened()).toEqual([url]);
  const person = new Person("nobody");
  await person.press(await person.open(url), /sign in/i);
  expect(await login.code).toBe(0);

  const doctor = run("doctor", { GITHUB_WEBHOOK_SECRET: SECRET });
  const code = await doctor.code;
  expect(doctor.output()).not.toContain("FAIL");
  expect(code).toBe(0);
  expect(doctor.output()).toContain("ok    test event: sent, and back through the stream");
  expect(doctor.output()).toContain("polling");
  const { tokens } = home.state(server.url);
  for (const secret of [tokens!.accessToken, tokens!.refreshToken!, SECRET])
    expect(doctor.output()).not.toContain(secret);
});

test("logout ends the sign-in at the Worker and here", async () => {
  const { tokens } = home.state(server.url);
  const logout = run("logout");
  expect(await logout.code).toBe(0);
  expect(home.state(server.url).tokens).toBeUndefined();
  const headers = { Authorization: `Bearer ${tokens!.accessToken}` };
  await vi.waitFor(
    async () => expect((await fetch(`${server.url}/api/pending-status`, { headers })).status).toBe(401),
    { timeout: 10_000, interval: 500 },
  );
});
