import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createNetwork } from "../network/network.ts";
import { OAuthClient } from "./oauth-client.ts";

const close: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of close.splice(0).reverse()) await end();
});

/** A client of a server that answers everything like this; `timeoutMs` for a whole answer. */
async function clientOf(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  timeoutMs?: number,
): Promise<OAuthClient> {
  const server = createServer((request, response) => answer(response, request));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  close.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const network = createNetwork({});
  close.push(() => network.close());
  return new OAuthClient(network, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeoutMs);
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));

describe("an answer of the token endpoint", () => {
  it("is a pair of tokens; an empty or absent refresh token is none, an absent lifetime an hour", async () => {
    const full = await clientOf(json(200, { access_token: "a", refresh_token: "r", expires_in: 60 }));
    expect(await full.refresh("c", "r0")).toEqual({
      outcome: "ok",
      value: { accessToken: "a", refreshToken: "r", expiresInSeconds: 60 },
    });
    const empty = await clientOf(json(200, { access_token: "a", refresh_token: "" }));
    expect(await empty.refresh("c", "r0")).toMatchObject({ value: { refreshToken: null, expiresInSeconds: 3_600 } });
  });

  it("is a refusal with the error's code", async () => {
    const client = await clientOf(json(400, { error: "slow_down", error_description: "Wait." }));
    expect(await client.poll("c", "s", "v")).toEqual({ outcome: "refused", error: "slow_down", description: "Wait." });
  });

  it.each([
    ["too many requests", json(429, { error: "rate_limited" }, { "Retry-After": "60" }), /HTTP 429/, 60],
    ["a failure", json(502, {}), /failed \(HTTP 502\)/, null],
    ["a web page", (response: ServerResponse) => response.end("<!doctype html>"), /no sign-in endpoint/, null],
    ["a redirect", (r: ServerResponse) => r.writeHead(302, { Location: "/login" }).end(), /HTTP 302/, null],
    ["tokens without a token", json(200, { access_token: "" }), /no sign-in endpoint/, null],
    ["a connection that breaks", (r: ServerResponse) => r.destroy(), /failed/, null],
  ])("is a sentence where it is %s", async (_, answer, sentence, retryAfterSeconds) => {
    const client = await clientOf(answer);
    expect(await client.refresh("c", "r")).toEqual({
      outcome: "unavailable",
      sentence: expect.stringMatching(sentence),
      retryAfterSeconds,
    });
  });

  it("is given up where it stalls, before its head or in the middle of its body", async () => {
    const silent = await clientOf(() => {}, 200);
    expect(await silent.refresh("c", "r")).toMatchObject({ sentence: expect.stringContaining("no answer within 0.2") });
    const halting = await clientOf((response) => void response.writeHead(200).write('{"access_token":'), 200);
    expect(await halting.refresh("c", "r")).toMatchObject({
      outcome: "unavailable",
      sentence: expect.stringContaining("stalled in the middle"),
    });
  });
});
