/** The MCP Inspector's command line against a running `npm start`, in both generations of the protocol. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deliver, delivery } from "../node/support/github.ts";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { INSPECTOR, npx } from "./run-program.ts";

const SECRET = "inspector";

/** Exit codes of its command line. */
const OK = 0;
const TOOL_ERROR = 5;

const state = temporaryState();
let server: LocalServer;
let event: string;

beforeAll(async () => {
  server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
  const repository = { id: 1, full_name: "octo/app", owner: { id: 2, login: "octo", type: "Organization" } };
  const payload = { action: "opened", issue: { number: 7, title: "Seen by the Inspector" }, repository };
  const answer = await deliver(server.url, SECRET, delivery("issues", payload));
  event = (answer.body as { id: string }).id;
}, 90_000);
afterAll(() => {
  endAll();
  state.dispose();
});

async function inspect(era: string, method: string, ...rest: string[]) {
  const run = await npx(INSPECTOR, [
    ...["--cli", "--server-url", `${server.url}/mcp`, "--transport", "http"],
    ...["--header", `Authorization: Bearer ${server.token}`, "--stored-auth-only"],
    ...["--protocol-era", era, "--format", "json", "--method", method, ...rest],
  ]);
  const line = run.stdout.split("\n").find((text) => text.startsWith('{"result"'));
  return { ...run, result: line === undefined ? undefined : JSON.parse(line).result };
}

describe.each(["legacy", "modern"])("the Inspector, protocol era %s", { timeout: 120_000 }, (era) => {
  test("lists seven tools, and finds no error in their schemas", async () => {
    const { code, stderr, result } = await inspect(era, "tools/list", "--strict");
    expect(stderr).not.toMatch(/^Error: tool/m);
    expect(code, stderr).toBe(OK);
    expect(result.tools).toHaveLength(7);
  });

  test("calls every tool", async () => {
    const calls: [string, Record<string, unknown>][] = [
      ["get_pending_status", {}],
      ["list_pending_events", { limit: 5, include_processed: true }],
      ["get_event", { event_id: event }],
      ["get_webhook_events", { limit: 1 }],
      ["search_events", { query: "Inspector", include_processed: true }],
      ["wait_for_events", { cursor: "s1", timeout_seconds: 1, include_processed: true }],
      ["mark_processed", { event_id: event }],
    ];
    const answers = await Promise.all(
      calls.map(([name, args]) =>
        inspect(era, "tools/call", ...["--tool-name", name, "--tool-args-json", JSON.stringify(args)]),
      ),
    );
    for (const [i, { code, stderr, result }] of answers.entries()) {
      expect([calls[i]![0], code, stderr]).toEqual([calls[i]![0], OK, expect.anything()]);
      const said = JSON.parse(result.content[0].text);
      expect(result.structuredContent).toMatchObject(Array.isArray(said) ? { events: said } : said);
    }
  });

  test("shows a tool's error as one", async () => {
    const { code, result } = await inspect(
      era,
      "tools/call",
      ...["--tool-name", "get_event", "--tool-args-json", '{"event_id":"unknown"}'],
    );
    expect(code).toBe(TOOL_ERROR);
    expect(result.content[0].text).toBe("Event unknown not found");
  });

  test("reads the resources and the prompt", async () => {
    const read = await inspect(era, "resources/read", "--uri", `github-webhook://event/${event}`);
    expect(JSON.parse(read.result.contents[0].text)).toMatchObject({ id: event, type: "issues" });
    const prompt = await inspect(era, "prompts/get", "--prompt-name", "triage_pending");
    expect(prompt.result.messages[0].content.text).toContain("get_pending_status");
  });
});
