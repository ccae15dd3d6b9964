import { describe, expect, it } from "vitest";
import { readBridgeConfig } from "./config.ts";

const read = (env: Record<string, string>) => readBridgeConfig(env, "/nowhere");
const urlOf = (value: string) => {
  const result = read({ WEBHOOK_WORKER_URL: value });
  return result.ok ? result.config.workerUrl : result.message;
};

/** What a host passes on for an optional field that nobody filled in. */
const placeholder = (name: string) => `$\{user_config.${name}}`;

describe("WEBHOOK_WORKER_URL", () => {
  it("is brought to the Worker's origin, however it was typed", () => {
    expect(urlOf("https://Webhook.Example.com/")).toBe("https://webhook.example.com");
    expect(urlOf(" https://webhook.example.com/mcp/ ")).toBe("https://webhook.example.com");
    expect(urlOf("https://webhook.example.com:443")).toBe("https://webhook.example.com");
    expect(urlOf("http://localhost:8787/mcp")).toBe("http://localhost:8787");
    expect(urlOf("http://[::1]:8787")).toBe("http://[::1]:8787");
  });

  it("has a clear message where it is missing, blank or a placeholder (row 27)", () => {
    for (const value of ["", "  ", placeholder("worker_url")]) {
      expect(urlOf(value)).toMatch(/^WEBHOOK_WORKER_URL is not set\. Set it to the address of your Worker/);
    }
    expect(read({})).toMatchObject({ ok: false });
  });

  it("is refused where tokens would travel unprotected, or it is no URL", () => {
    expect(urlOf("http://webhook.example.com")).toContain("has to begin with https://");
    expect(urlOf("ftp://webhook.example.com")).toContain("has to begin with https://");
    expect(urlOf("webhook.example.com")).toContain("is no web address");
    expect(urlOf("localhost:8787")).toContain("is no web address");
    expect(urlOf("https://mona:secret@example.com")).toContain("user name");
    expect(urlOf("http://127.0.0.1.example.com")).toContain("https://");
  });
});

describe("the channel's variables", () => {
  const channelOf = (env: Record<string, string>) => {
    const result = read({ WEBHOOK_WORKER_URL: "https://w.example", ...env });
    if (!result.ok) throw new Error(result.message);
    return result.config.channel;
  };

  it("leave it on unless it is switched off; placeholders count as unset (row 27)", () => {
    expect(channelOf({}).enabled).toBe(true);
    expect(channelOf({ WEBHOOK_CHANNEL: "1" }).enabled).toBe(true);
    expect(channelOf({ WEBHOOK_CHANNEL: "true" }).enabled).toBe(true);
    expect(channelOf({ WEBHOOK_CHANNEL: placeholder("channel_enabled") }).enabled).toBe(true);
    expect(channelOf({ WEBHOOK_CHANNEL: "0" }).enabled).toBe(false);
    expect(channelOf({ WEBHOOK_CHANNEL: "false" }).enabled).toBe(false);
  });

  it("are comma lists", () => {
    expect(
      channelOf({
        WEBHOOK_CHANNEL_TYPES: "issues, push,,",
        WEBHOOK_CHANNEL_REPOS: "Octo/App",
        WEBHOOK_CHANNEL_SENDERS: placeholder("senders"),
      }),
    ).toMatchObject({ types: ["issues", "push"], repositories: ["octo/app"], senders: [] });
  });
});
