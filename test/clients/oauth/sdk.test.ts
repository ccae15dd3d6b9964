/** The official SDK's OAuth clients, of both generations, from a 401 to a tool call, and over an expired token. */
import * as v2 from "@modelcontextprotocol/client";
import { auth as authV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Person } from "../../github/person.ts";
import { SMALL_WORLD } from "../../github/worlds.ts";
import { type SignInStage, startStage } from "../worker.ts";
import { MemoryProvider } from "./memory-provider.ts";

let stage: SignInStage;
beforeAll(async () => {
  stage = await startStage(SMALL_WORLD);
}, 120_000);
afterAll(() => stage?.close(), 30_000);

const waitingProgram = (at: URL) => at.port === "49152";

/** What both generations' clients and transports have in common, as these tests need it. */
interface Generation {
  connect(provider: MemoryProvider): Promise<{ finishAuth(code: URLSearchParams): Promise<void>; failure: unknown }>;
  call(provider: MemoryProvider): Promise<string>;
  auth(provider: MemoryProvider): Promise<string>;
}

const generations: Record<string, Generation> = {
  "SDK v1": {
    async connect(provider) {
      const transport = new TransportV1(new URL(`${stage.url}/mcp`), { authProvider: provider as never });
      const failure = await new ClientV1({ name: "v1", version: "1" }).connect(transport as never).then(
        () => null,
        (error) => error,
      );
      return { failure, finishAuth: (query) => transport.finishAuth(query.get("code")!) };
    },
    async call(provider) {
      const transport = new TransportV1(new URL(`${stage.url}/mcp`), { authProvider: provider as never });
      const client = new ClientV1({ name: "v1", version: "1" });
      await client.connect(transport as never);
      const result = await client.callTool({ name: "get_pending_status" });
      await client.close();
      return JSON.stringify(result.structuredContent);
    },
    auth: (provider) => authV1(provider as never, { serverUrl: `${stage.url}/mcp` }),
  },
  "SDK v2": {
    async connect(provider) {
      const transport = new v2.StreamableHTTPClientTransport(new URL(`${stage.url}/mcp`), {
        authProvider: provider as never,
      });
      const failure = await new v2.Client({ name: "v2", version: "1" }).connect(transport).then(
        () => null,
        (error) => error,
      );
      return { failure, finishAuth: (query) => transport.finishAuth(query) };
    },
    async call(provider) {
      const transport = new v2.StreamableHTTPClientTransport(new URL(`${stage.url}/mcp`), {
        authProvider: provider as never,
      });
      const client = new v2.Client({ name: "v2", version: "1" });
      await client.connect(transport);
      const result = await client.callTool({ name: "get_pending_status", arguments: {} });
      await client.close();
      return JSON.stringify(result.structuredContent);
    },
    auth: (provider) => v2.auth(provider as never, { serverUrl: `${stage.url}/mcp` }),
  },
};

describe.each(Object.entries(generations))("%s", (_name, generation) => {
  it("signs in after a 401, calls a tool, refreshes, and goes on with the new tokens", async () => {
    const provider = new MemoryProvider("http://127.0.0.1:49152/callback");
    const first = await generation.connect(provider);
    expect(first.failure).toBeInstanceOf(Error);
    const { url } = await new Person("hubot", waitingProgram).signIn(provider.link!);
    expect(url.searchParams.get("state")).toBe(provider.expectedState);
    await first.finishAuth(url.searchParams);
    expect(await generation.call(provider)).toContain("pending_count");

    const before = provider.saved!;
    expect(await generation.auth(provider)).toBe("AUTHORIZED");
    expect(provider.saved?.refresh_token).not.toBe(before.refresh_token);
    expect(await generation.call(provider)).toContain("pending_count");

    // An access token that is no longer good is replaced without anybody being asked.
    provider.saved = { ...provider.saved!, access_token: "gone" };
    provider.link = null;
    expect(await generation.call(provider)).toContain("pending_count");
    expect(provider.link).toBeNull();
  }, 60_000);
});
