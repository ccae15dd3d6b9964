import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { workerLists } from "../../local-mcp/scripts/worker-lists.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("mcp-server/manifest.json"));
const npm = JSON.parse(read("mcp-server/package.json"));
const registry = JSON.parse(read("mcp-server/server.json"));
const plugin = JSON.parse(read(".claude-plugin/plugin.json"));
const marketplace = JSON.parse(read(".claude-plugin/marketplace.json"));

/** `${name}`, which the host replaces. */
const placeholder = (name: string) => `\${${name}}`;

let lists: Awaited<ReturnType<typeof workerLists>>;
beforeAll(async () => {
  lists = await workerLists();
});

describe("the bundle's manifest", () => {
  test("lists the tools of the Worker, in its words", () => {
    expect(manifest.tools).toEqual(lists.tools.map(({ name, description }) => ({ name, description })));
    expect(manifest.tools_generated).toBeUndefined();
  });

  test("says that there are prompts", () => {
    expect(lists.prompts).not.toEqual([]);
    expect(manifest.prompts_generated).toBe(true);
  });

  test("asks for the Worker's address, and pushes unless somebody says no", () => {
    expect(manifest.user_config).toMatchObject({
      worker_url: { type: "string", required: true },
      channel_enabled: { type: "boolean", required: false, default: true },
    });
    expect(manifest.server.mcp_config.env).toEqual({
      WEBHOOK_WORKER_URL: placeholder("user_config.worker_url"),
      WEBHOOK_CHANNEL: placeholder("user_config.channel_enabled"),
    });
  });

  test("names where it runs, and the policies of those who see a user's data", () => {
    expect(manifest.compatibility).toEqual({
      platforms: ["darwin", "win32", "linux"],
      runtimes: { node: ">=18.0.0" },
    });
    expect(manifest.privacy_policies.length).toBeGreaterThan(0);
    for (const policy of manifest.privacy_policies) expect(policy).toMatch(/^https:\/\//);
  });

  test("has an icon of 512 × 512 pixels", () => {
    const png = readFileSync(join(root, "mcp-server", manifest.icon));
    // PNG, second edition, §11.2.2: width and height stand first in the IHDR chunk.
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 512]);
  });
});

describe("one name for each", () => {
  test("npm package, bundle and plugin are github-webhook-mcp", () => {
    expect([npm.name, manifest.name, plugin.name]).toEqual(Array(3).fill("github-webhook-mcp"));
    expect(marketplace.plugins).toEqual([expect.objectContaining({ name: plugin.name, source: "./" })]);
  });

  test("the registry finds its own name in the npm package", () => {
    expect(registry.name).toBe("io.github.Liplus-Project/github-webhook-mcp");
    expect(npm.mcpName).toBe(registry.name);
  });

  test("the registry offers the remote server, the npm package and the bundle", () => {
    expect(registry.$schema).toContain("/2025-12-11/");
    expect(registry.remotes).toEqual([{ type: "streamable-http", url: expect.stringMatching(/^https:.*\/mcp$/) }]);
    expect(registry.packages.map((entry: Record<string, unknown>) => [entry.registryType, entry.identifier])).toEqual([
      ["npm", npm.name],
      [
        "mcpb",
        `https://github.com/Liplus-Project/github-webhook-mcp/releases/download/v${npm.version}/github-webhook-mcp.mcpb`,
      ],
    ]);
    expect(registry.description.length).toBeLessThanOrEqual(100);
  });
});

test("the npm package brings everything with it", () => {
  for (const kind of ["dependencies", "optionalDependencies", "peerDependencies", "scripts"]) {
    expect(npm[kind], kind).toBeUndefined();
  }
});

test("the variables that the packages name are those that the bridge reads", () => {
  const known = new Set(read("local-mcp/src/config.ts").match(/WEBHOOK_[A-Z_]+/g));
  const named = registry.packages[0].environmentVariables.map(({ name }: { name: string }) => name);
  expect(named.sort()).toEqual([...known].sort());
  for (const { env } of [manifest.server.mcp_config, plugin.mcpServers[plugin.name]]) {
    for (const name of Object.keys(env)) expect(named).toContain(name);
  }
});

describe("the Claude Code plugin", () => {
  const [server = ""] = Object.keys(plugin.mcpServers);
  const { args, env }: { args: string[]; env: Record<string, string> } = plugin.mcpServers[server];

  test("starts the build that is in the repository", () => {
    const path = args[0]?.replace(`${placeholder("CLAUDE_PLUGIN_ROOT")}/`, "") ?? "";
    expect(args).toHaveLength(1);
    expect(existsSync(join(root, path)), path).toBe(true);
  });

  test("asks for every setting that it passes on", () => {
    const settings = Object.values(env).map((value) => /^\$\{user_config\.(\w+)\}$/.exec(value)?.[1]);
    expect(settings.sort()).toEqual(Object.keys(plugin.userConfig).sort());
  });

  test("declares the server as a channel", () => {
    expect(plugin.channels).toEqual([{ server, displayName: "GitHub events" }]);
  });

  test("asks for the status with every prompt, under the name that Claude Code gives a plugin's server", () => {
    // https://code.claude.com/docs/en/hooks: `plugin:<plugin>:<server>`, not the bare name.
    const [{ hooks }] = plugin.hooks.UserPromptSubmit;
    expect(hooks).toEqual([
      { type: "mcp_tool", server: `plugin:${plugin.name}:${server}`, tool: "get_pending_status", timeout: 6 },
    ]);
    expect(lists.tools.map(({ name }) => name)).toContain(hooks[0].tool);
    expect(Object.keys(plugin.hooks)).toEqual(["UserPromptSubmit"]);
  });
});
