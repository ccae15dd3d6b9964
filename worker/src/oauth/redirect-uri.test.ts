import { describe, expect, test } from "vitest";
import { isRegistered, receiverName, redirectUriProblem, withParameters } from "./redirect-uri.ts";

test.each([
  "https://claude.ai/api/mcp/auth_callback",
  "https://chatgpt.com/connector_platform_oauth_redirect",
  "http://127.0.0.1:33418/",
  "http://localhost:3334/oauth/callback",
  "http://[::1]/cb",
  "http://localhost",
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "com.example.app:/cb",
  "https://client.example/cb?tenant=1",
])("%s may be registered", (uri) => {
  expect(redirectUriProblem(uri)).toBeNull();
});

test.each([
  ["http://localhost.evil.example/cb", "https"],
  ["http://127.0.0.1@evil.example/cb", "user name"],
  ["https://client.example/#", "fragment"],
  ["https://client.example/\u202e", "characters"],
  ["JAVASCRIPT:alert(1)", "scheme"],
  ["chrome-extension://abc/cb", "scheme"],
  ["cb", "absolute"],
])("%s may not, since it %s", (uri, why) => {
  expect(redirectUriProblem(uri)).toContain(why);
});

describe("a redirect URI that is asked for", () => {
  test("is registered if it is the same text", () => {
    expect(isRegistered(["https://a.example/cb"], "https://a.example/cb")).toBe(true);
    expect(isRegistered(["https://a.example/cb"], "https://a.example/CB")).toBe(false);
    expect(isRegistered(["http://localhost/cb"], "http://LOCALHOST:99/cb")).toBe(true);
    expect(isRegistered(["http://localhost/cb"], "http://127.0.0.1/cb")).toBe(false);
    expect(isRegistered(["http://localhost"], "http://localhost:99")).toBe(true);
    expect(isRegistered(["https://localhost/cb"], "https://localhost:99/cb")).toBe(false);
    expect(isRegistered([], "https://a.example/cb")).toBe(false);
  });
});

test("parameters are added to what is there", () => {
  expect(withParameters("https://a.example/cb", { code: "x y", state: null })).toBe("https://a.example/cb?code=x+y");
  expect(withParameters("https://a.example/cb?t=1", { code: "x" })).toBe("https://a.example/cb?t=1&code=x");
  expect(withParameters("cursor://a/b", { iss: "https://h" })).toBe("cursor://a/b?iss=https%3A%2F%2Fh");
});

test("people are told who receives the answer", () => {
  expect(receiverName("http://localhost:3/cb")).toBe("localhost:3");
  expect(receiverName("cursor://anysphere.cursor-mcp/x")).toContain("cursor://anysphere.cursor-mcp");
});
