import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endAll, type LocalServer, startServer, temporaryState } from "./support/local-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const SECRET = "demo-secret";
const TIMEOUT = 90_000;

const state = temporaryState();
afterAll(() => {
  endAll();
  state.dispose();
});

function demo(env: Record<string, string>): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      ["scripts/demo.mjs"],
      { cwd: root, env: { PATH: process.env.PATH, STATE_DIR: state.path, GITHUB_WEBHOOK_SECRET: "", ...env } },
      (error, stdout, stderr) => done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

test("npm run demo says so when no server runs", async () => {
  const { code, stderr } = await demo({ PORT: "9" });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "\nNo server answers at http://127.0.0.1:9. Start one in another terminal: npm start (with the same PORT and STATE_DIR).\n",
  );
});

describe("npm run demo, against npm start", { timeout: TIMEOUT }, () => {
  let server: LocalServer;
  beforeAll(async () => {
    server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
  }, TIMEOUT);
  afterAll(() => server?.stop(), TIMEOUT);

  test("needs the secret that the server checks with, and its token", async () => {
    expect(await demo({})).toMatchObject({ code: 1, stderr: expect.stringContaining("same GITHUB_WEBHOOK_SECRET") });
    const stranger = await demo({ GITHUB_WEBHOOK_SECRET: SECRET, LOCAL_TOKEN: "another" });
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining("does not know our token") });
  });

  test("sends signed examples, and shows what an agent sees before and after it marks one", async () => {
    const { code, stdout, stderr } = await demo({ GITHUB_WEBHOOK_SECRET: SECRET });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/ 202 \{"accepted":true,"id":"[\w-]{36}"\}/g)).toHaveLength(6);
    expect(stdout).toContain("6 pending");
    expect(stdout).toMatch(
      /issues opened +Spelling error in the README file\n.*Codertocat\/Hello-World.*\/issues\/1\n/,
    );
    expect(stdout).toContain('"body": "It looks like you accidently spelled');
    expect(stdout).toMatch(/\{"success":true,"event_id":"[\w-]{36}","purged":0\}\n +5 pending/);
    expect(stdout).not.toContain("\x1b");
  });
});
