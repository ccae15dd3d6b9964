/** `mcp-remote`, which most clients without OAuth of their own go through: it signs in and calls a tool, unattended. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Person, type SeenPage } from "../../github/person.ts";
import { SMALL_WORLD } from "../../github/worlds.ts";
import { packageBin } from "../package-bin.ts";
import { type SignInStage, startStage } from "../worker.ts";

const LINK = /https?:\/\/\S+\/oauth\/authorize\?\S+/;

let stage: SignInStage;
let home: string;
beforeAll(async () => {
  stage = await startStage(SMALL_WORLD);
  home = mkdtempSync(join(tmpdir(), "mcp-remote-"));
}, 120_000);
afterAll(async () => {
  await stage?.close();
  rmSync(home, { recursive: true, force: true });
}, 30_000);

/** Starts mcp-remote, has `person` sign in when it asks for that, and calls a tool through it. */
async function callThroughRemote(person: Person): Promise<{ result: unknown; asked: boolean; log: string }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [packageBin("mcp-remote", "mcp-remote"), `${stage.url}/mcp`],
    // Its bundled opener runs what BROWSER names; nobody is to see a window.
    env: { PATH: process.env.PATH!, HOME: process.env.HOME!, MCP_REMOTE_CONFIG_DIR: home, BROWSER: "true" },
    stderr: "pipe",
  });
  let log = "";
  let signedIn: Promise<SeenPage> | null = null;
  transport.stderr?.on("data", (chunk) => {
    log += chunk;
    const link = /visiting:\s/.test(log) ? LINK.exec(log)?.[0] : undefined;
    if (link && log.slice(log.indexOf(link) + link.length).startsWith("\n")) signedIn ??= person.signIn(link);
  });
  const client = new Client({ name: "test", version: "1" });
  try {
    await client.connect(transport, { timeout: 90_000 });
    const result = await client.callTool({ name: "get_pending_status", arguments: {} });
    const page = await signedIn;
    return { result: result.structuredContent, asked: page !== null, log };
  } catch (error) {
    const page = await Promise.resolve(signedIn).catch((failure) => failure);
    throw new Error(`${error}\nthe person saw: ${page?.url} ${page?.status ?? page}\n${log}`);
  } finally {
    await client.close();
  }
}

it("signs in once, and calls tools then and after a restart", async () => {
  const first = await callThroughRemote(new Person("hubot"));
  expect(first.asked).toBe(true);
  expect(first.result).toMatchObject({ pending_count: 0 });

  const second = await callThroughRemote(new Person("hubot"));
  expect(second.asked).toBe(false);
  expect(second.result).toMatchObject({ pending_count: 0 });
}, 240_000);
