import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  endAll,
  failToStart,
  type LocalServer,
  rawRequest,
  startServer,
  temporaryState,
} from "./support/local-server.ts";
import { treeOf } from "./support/processes.ts";

const SECRET = "a-webhook-secret-$PATH-\"'`\\";
const TIMEOUT = 90_000;

let state: ReturnType<typeof temporaryState>;
beforeAll(() => {
  state = temporaryState();
});
afterAll(() => {
  endAll();
  state.dispose();
});

describe("npm start", { timeout: TIMEOUT }, () => {
  let server: LocalServer;
  beforeAll(async () => {
    server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET, WEBHOOK_RATE_PER_MINUTE: "77" });
  }, TIMEOUT);
  afterAll(() => server?.stop(), TIMEOUT);

  test("prints the URLs, the token and the two lines that connect an agent and GitHub", () => {
    const output = server.output();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(output).toContain(`MCP URL       ${server.url}/mcp\n`);
    expect(output).toContain(
      `claude mcp add --transport http github-webhooks ${server.url}/mcp --header "Authorization: Bearer ${server.token}"\n`,
    );
    expect(output).toContain("gh extension install cli/gh-webhook\n");
    expect(output).toMatch(/gh webhook forward --repo=OWNER\/REPO --events=\S+ --url=\S+\/webhooks\/github --secret=/);
    expect(output).not.toContain("\x1b");
  });

  test("keeps the token in the state directory, for its owner only", () => {
    const path = join(state.path, "local-token");
    expect(readFileSync(path, "utf8").trim()).toBe(server.token);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("keeps secrets out of its output, its files and every command line", () => {
    expect(server.output()).not.toContain(SECRET);
    expect(readFileSync(join(state.path, "wrangler.json"), "utf8")).not.toMatch(/a-webhook-secret|local-token/);
    const commands = server.processes().map(({ command }) => command);
    expect(commands.some((command) => command.includes("workerd"))).toBe(true);
    for (const command of commands) {
      expect(command).not.toContain("a-webhook-secret");
      expect(command).not.toContain(server.token);
    }
  });

  test("keeps all its processes in npm's group", () => {
    const npm = server.processes().find(({ pid, group }) => pid === group)!;
    const tree = treeOf(npm.pid);
    expect(tree.length).toBeGreaterThan(3);
    expect(tree.filter(({ group }) => group !== npm.group)).toEqual([]);
  });

  test("the Worker has the settings of the environment, a hard-to-quote secret included", async () => {
    const health = await fetch(`${server.url}/healthz`);
    expect(await health.json()).toEqual({
      status: "ok",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      signature: "on",
      github: "github.com",
    });
    const config = JSON.parse(readFileSync(join(state.path, "wrangler.json"), "utf8"));
    expect(config.vars).toMatchObject({ WEBHOOK_RATE_PER_MINUTE: "77", PUBLIC_URL: server.url, LOCAL_MODE: "1" });
  });

  test("needs the token on /mcp and /api", async () => {
    for (const path of ["/mcp", "/mcp/", "/api/pending-status"]) {
      expect((await fetch(server.url + path)).status, path).toBe(401);
      const wrong = { headers: { Authorization: "Bearer wrong" } };
      expect((await fetch(server.url + path, wrong)).status, path).toBe(401);
    }
    const right = { headers: { Authorization: `Bearer ${server.token}` } };
    expect((await fetch(`${server.url}/api/pending-status`, right)).status).toBe(200);
  });

  test.each([
    ["a rebound host name", { Host: "evil.example" }],
    ["a page of another origin", { Origin: "https://evil.example" }],
    ["a tunnel", { "X-Forwarded-For": "192.0.2.1" }],
  ])("refuses %s, with the right token too", async (_, headers) => {
    const authorized = { ...headers, Authorization: `Bearer ${server.token}` };
    for (const path of ["/mcp", "/api/pending-status", "/oauth/authorize", "/"]) {
      const answer = await rawRequest(server.url + path, { headers: authorized });
      expect(answer.status, path).toBe(403);
      expect(JSON.parse(answer.text)).toEqual({ error: "forbidden", message: expect.stringContaining("local mode") });
    }
    expect((await rawRequest(`${server.url}/healthz`, { headers: authorized })).status).toBe(200);
  });

  test("a second one on its port, or on its state directory, is told so and leaves it alone", async () => {
    const other = temporaryState();
    const samePort = await failToStart(other.path, { PORT: new URL(server.url).port });
    expect(samePort.code).not.toBe(0);
    expect(samePort.output).toMatch(/Port \d+ is in use by another program/);
    const sameState = await failToStart(state.path, {});
    expect(sameState.code).not.toBe(0);
    expect(sameState.output).toContain(`already served by process`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    other.dispose();
  });

  test("serves again after its runtime was killed", async () => {
    const runtimes = server.processes().filter(({ command }) => /\/workerd serve/.test(command));
    expect(runtimes.length).toBeGreaterThan(0);
    for (const { pid } of runtimes) process.kill(pid, "SIGKILL");
    await vi.waitFor(
      async () => {
        const health = await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(1_000) });
        expect(health.status).toBe(200);
      },
      { timeout: 30_000, interval: 500 },
    );
  });

  test("the next start keeps the token", async () => {
    const { token } = server;
    await server.stop();
    server = await startServer(state.path);
    expect(server.token).toBe(token);
    expect(server.output()).toContain("not checked: GITHUB_WEBHOOK_SECRET is not set");
  });
});

describe("npm start ends", { timeout: TIMEOUT }, () => {
  let server: LocalServer;
  afterEach(() => endAll());

  const find = (pattern: RegExp) => server.processes().filter(({ command }) => pattern.test(command));

  test("with all its processes at a SIGTERM to npm", async () => {
    server = await startServer(state.path);
    await server.stop("SIGTERM");
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  test("with all its processes at Ctrl-C, which a terminal sends to the whole group", async () => {
    server = await startServer(state.path);
    process.kill(-server.group, "SIGINT");
    await server.gone();
  });

  test.each([
    ["the start script", /^node scripts\/start\.mjs$/],
    ["npm", /^npm start|npm-cli\.js start/],
    ["wrangler", /wrangler-dist\/cli\.js/],
  ])("with all its processes when %s is killed without warning", async (_, pattern) => {
    server = await startServer(state.path);
    const victims = find(pattern);
    expect(victims).toHaveLength(1);
    process.kill(victims[0]!.pid, "SIGKILL");
    await server.gone();
  });
});

describe("npm start says what is wrong", { timeout: TIMEOUT }, () => {
  test("with PORT, LOCAL_TOKEN or STATE_DIR, before it starts anything", async () => {
    const cases = [
      [{ PORT: "http" }, "PORT must be a number"],
      [{ LOCAL_TOKEN: "two words" }, "LOCAL_TOKEN may only hold"],
      [{ STATE_DIR: "/dev/null/state" }, "The state directory /dev/null/state can't be used"],
    ] as const;
    for (const [env, message] of cases) {
      const attempt = await failToStart(state.path, env);
      expect(attempt.code).not.toBe(0);
      expect(attempt.output).toContain(message);
      expect(attempt.output).not.toContain("    at ");
    }
  });

  test("with a setting that the Worker can't understand, by name", async () => {
    const server = await startServer(state.path, { MAX_STORE_BYTES: "5GB" });
    expect(server.output()).toContain("MAX_STORE_BYTES must be");
    const health = await fetch(`${server.url}/healthz`);
    expect(health.status).toBe(503);
    await server.stop();
  });
});

test("with a GITHUB_CLIENT_ID it is the deployed behaviour: no local token, no guard", {
  timeout: TIMEOUT,
}, async () => {
  const github = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(github, "listening");
  const githubUrl = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
  const server = await startServer(state.path, {
    GITHUB_CLIENT_ID: "Iv1.example",
    GITHUB_URL: githubUrl,
    GITHUB_API_URL: githubUrl,
    LOCAL_TOKEN: "given",
  });
  expect(server.output()).toContain("with sign-in through GitHub");
  expect(server.token).toBe("");
  const answer = await rawRequest(`${server.url}/api/pending-status`, {
    headers: { Host: "hooks.example", Authorization: "Bearer given" },
  });
  expect(answer.status).toBe(401);
  await server.stop();
  github.close();
});
