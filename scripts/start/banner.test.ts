import { expect, test } from "vitest";
import { banner, painter, wantsColour } from "./banner.mjs";

const server = {
  url: "http://127.0.0.1:8787",
  publicUrl: "http://127.0.0.1:8787",
  token: "the-token",
  webhookSecret: null,
  stateDir: "/somewhere/.state",
};

test("says where to send webhooks, where agents connect, and how", () => {
  const text = banner(server, painter(false));
  expect(text).toContain("Webhook URL   http://127.0.0.1:8787/webhooks/github\n");
  expect(text).toContain("MCP URL       http://127.0.0.1:8787/mcp\n");
  expect(text).toContain("Access token  the-token\n");
  expect(text).toContain(
    '\n  claude mcp add --transport http github-webhooks http://127.0.0.1:8787/mcp --header "Authorization: Bearer the-token"\n',
  );
  expect(text).toContain("\n  gh extension install cli/gh-webhook\n");
  expect(text).toMatch(
    /\n {2}gh webhook forward --repo=OWNER\/REPO --events=[a-z_,]+ --url=http:\/\/127\.0\.0\.1:8787\/webhooks\/github\n/,
  );
  expect(text).toContain("not checked");
  expect(text).not.toContain("\x1b");
});

test("names the webhook secret without showing it", () => {
  expect(banner({ ...server, webhookSecret: "environment" }, painter(false))).toContain(
    '/webhooks/github --secret="$GITHUB_WEBHOOK_SECRET"\n',
  );
  expect(banner({ ...server, webhookSecret: ".dev.vars" }, painter(false))).toContain("of .dev.vars in place of");
});

test("with sign-in through GitHub there is no local token to show", () => {
  const text = banner({ ...server, token: null, publicUrl: "https://hooks.example" }, painter(false));
  expect(text).toContain("claude mcp add --transport http github-webhooks https://hooks.example/mcp\n");
  expect(text).not.toContain("token");
});

test("colours are for terminals, and NO_COLOR turns them off", () => {
  expect(painter(true)("x", "bold")).toBe("\x1b[1mx\x1b[22m");
  expect(wantsColour({ isTTY: true }, {})).toBe(true);
  expect(wantsColour({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
  expect(wantsColour({ isTTY: true }, { TERM: "dumb" })).toBe(false);
  expect(wantsColour({}, {})).toBe(false);
});
