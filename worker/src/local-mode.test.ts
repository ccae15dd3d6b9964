import { describe, expect, test } from "vitest";
import { localModeRefusal } from "./local-mode.ts";

const LOCAL = { localModeAsked: true, webhookSecrets: ["s"] };
const LOOPBACK = "http://127.0.0.1:8787";

function refusal(
  { base = LOOPBACK, path = "/mcp", headers = {} as Record<string, string> },
  config: { localModeAsked: boolean; webhookSecrets: string[] } = LOCAL,
) {
  return localModeRefusal(config, { url: base + path, headers: new Headers(headers) });
}

describe("local mode", () => {
  test.each(["127.0.0.1:8787", "localhost:8787", "LOCALHOST", "[::1]:8787", "127.9.9.9"])("answers to %s", (host) => {
    expect(refusal({ base: `http://${host}`, headers: { host } })).toBeNull();
  });

  test.each([
    "evil.example",
    "127.0.0.1.evil.example:8787",
    "localhost.evil.example",
    "0.0.0.0:8787",
    "192.168.1.4:8787",
    "[::ffff:10.0.0.1]",
    "localhost@evil.example",
  ])("refuses the rebound host %s on every path but the public ones", (host) => {
    for (const path of [
      "/",
      "/mcp",
      "/mcp/",
      "/api/pending-status",
      "/events",
      "/oauth/authorize",
      "/healthz/",
      "/x",
    ]) {
      expect(refusal({ base: `http://${host}`, path, headers: { host } }), path).toContain("loopback");
      expect(refusal({ path, headers: { host } }), `${path}, Host header alone`).toContain("loopback");
    }
    expect(refusal({ base: `http://${host}`, path: "/healthz", headers: { host } })).toBeNull();
    expect(refusal({ base: `http://${host}`, path: "/webhooks/github", headers: { host } })).toBeNull();
  });

  test.each(["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://", "not a url"])(
    "refuses the origin %s",
    (origin) => {
      expect(refusal({ headers: { origin } })).toContain("origin");
    },
  );

  test("answers a page of its own machine", () => {
    expect(refusal({ headers: { origin: "http://localhost:6274" } })).toBeNull();
  });

  test.each(["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-proto", "X-Forwarded-Anything"])(
    "refuses what carries %s",
    (name) => {
      expect(refusal({ headers: { [name]: "for=192.0.2.1" } })).toContain("forwarded");
      expect(refusal({ path: "/webhooks/github", headers: { [name]: "x" } })).toBeNull();
    },
  );

  test("lets a tunnel deliver webhooks only where a secret proves their source", () => {
    const tunnelled = { base: "https://tunnel.example", path: "/webhooks/github", headers: { "x-forwarded-for": "1" } };
    expect(refusal(tunnelled)).toBeNull();
    expect(refusal(tunnelled, { localModeAsked: true, webhookSecrets: [] })).toContain("loopback");
  });

  test("a deployed Worker is not guarded", () => {
    const request = {
      base: "https://hooks.example",
      headers: { origin: "https://claude.ai", "x-forwarded-proto": "https" },
    };
    expect(refusal(request, { localModeAsked: false, webhookSecrets: [] })).toBeNull();
  });
});
