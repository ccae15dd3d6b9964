/** The authorization-server suite of MCP's own conformance tests: metadata, and the code grant with PKCE. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reservePort } from "../../../scripts/start/wrangler.mjs";
import { Person } from "../../github/person.ts";
import { SMALL_WORLD } from "../../github/worlds.ts";
import { packageBin } from "../package-bin.ts";
import { type SignInStage, startStage } from "../worker.ts";

interface Check {
  id: string;
  name: string;
  status: string;
  errorMessage?: string;
}

let stage: SignInStage;
beforeAll(async () => {
  stage = await startStage(SMALL_WORLD);
}, 120_000);
afterAll(() => stage?.close(), 30_000);

it("passes whole, with nothing skipped", async () => {
  const port = await reservePort(0);
  const redirect_uris = [`http://127.0.0.1:${port}/callback`];
  const registration = await fetch(`${stage.url}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "conformance", redirect_uris }),
  });
  const { client_id } = (await registration.json()) as { client_id: string };
  const { checks, output, code } = await runSuite(client_id, port, new Person("mona"));
  const others = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  expect(others, output).toEqual([]);
  expect(checks.map(({ id }) => id)).toContain("authorization-code-grant");
  expect(code, output).toBe(0);
}, 180_000);

async function runSuite(clientId: string, port: number, person: Person) {
  const results = mkdtempSync(join(tmpdir(), "conformance-"));
  const child = spawn(
    process.execPath,
    [
      ...[packageBin("@modelcontextprotocol/conformance", "conformance"), "authorization", "--url", stage.url],
      ...["--client-id", clientId, "--resource", `${stage.url}/mcp`, "--port", String(port), "--output-dir", results],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  let signedIn: Promise<unknown> | null = null;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      const [link] = /http\S+\/oauth\/authorize\?\S+(?=\n)/.exec(output) ?? [];
      if (link) {
        signedIn ??= person.signIn(link).catch((error) => {
          output += `\n${error}`;
          child.kill();
        });
      }
    });
  }
  const code = await new Promise((done) => child.once("exit", done));
  await signedIn;
  const checks = readdirSync(results, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("checks.json"))
    .flatMap((name) => JSON.parse(readFileSync(join(results, name), "utf8")) as Check[]);
  rmSync(results, { recursive: true, force: true });
  return { checks, output, code };
}
