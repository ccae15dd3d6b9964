import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

/**
 * Who may import whom, as ARCHITECTURE.md says it: inside the Worker a floor imports the floors below it. Each file of
 * the fixture tries to import every room; the lint has to refuse exactly the others.
 */
const FLOORS = [
  ["webhook", "stream", "mcp", "api", "oauth"],
  ["inbox"],
  ["store", "tenant", "grants"],
  ["github", "pages", "payload", "sql"],
];
const ROOMS = FLOORS.flat();
const KNOWS_HONO = ["webhook", "stream", "api", "oauth", "pages"];
/** The bridge's rooms, by floor. */
const BRIDGE_FLOORS = [["commands"], ["proxy", "channel"], ["worker"], ["access"], ["state", "network"]];
const COMMON = ["../ports.ts", "../viewer.ts", "../config.ts", "../log.ts", "zod", "cloudflare:workers", "node:zlib"];
const SHARED = "@github-webhook-mcp/shared/events.ts";
const FOREIGN = [
  "../../../local-mcp/src/cli.ts",
  "../../../scripts/x.mjs",
  "../../../test/x.ts",
  "../../../bench/x.ts",
];

/** For each file of the fixture: what it imports, and which of that is forbidden. */
const files: Record<string, { imports: string[]; forbidden: string[] }> = {};
for (const [floor, rooms] of FLOORS.entries()) {
  for (const room of rooms) {
    // A store asks the registry for its quota leases: the one arrow between neighbours.
    const neighbours = room === "store" ? ["tenant"] : [];
    const allowedRooms = [room, ...neighbours, ...FLOORS.slice(floor + 1).flat()];
    const forbidden = [
      ...ROOMS.filter((other) => !allowedRooms.includes(other)).map((other) => `../${other}/x.ts`),
      "../app.ts",
      "../index.ts",
      "../local-mode.ts",
      ...(KNOWS_HONO.includes(room) ? [] : ["hono", "hono/html"]),
      ...FOREIGN,
    ];
    const allowed = [...allowedRooms.map((other) => `../${other}/x.ts`), ...COMMON, SHARED, "./x.ts"];
    files[`worker/src/${room}/deep.ts`] = { imports: [...allowed, ...forbidden], forbidden };
  }
}
const everyRoom = ROOMS.map((room) => `./${room}/x.ts`);
files["worker/src/ports.ts"] = { imports: ["./viewer.ts", SHARED, ...everyRoom], forbidden: everyRoom };
files["worker/src/app.ts"] = { imports: ["hono", ...everyRoom], forbidden: [] };
files["shared/src/deep/x.ts"] = {
  imports: ["zod", "./y.ts", "../events.ts", "node:fs", "hono", "zod-other", "@octokit/core", "../../worker/src/x.ts"],
  forbidden: ["node:fs", "hono", "zod-other", "@octokit/core", "../../worker/src/x.ts"],
};
const beyondBridge = [
  "../../../worker/src/store/x.ts",
  "@github-webhook-mcp/worker/src/ports.ts",
  "../../../code-rag/src/engine/x.ts",
  "../../scripts/worker-lists.mjs",
  "../../../test/x.ts",
];
const bridgeRooms = BRIDGE_FLOORS.flat();
for (const [floor, rooms] of BRIDGE_FLOORS.entries()) {
  for (const room of rooms) {
    const allowedRooms = [room, ...BRIDGE_FLOORS.slice(floor + 1).flat()];
    const forbidden = [
      ...bridgeRooms.filter((other) => !allowedRooms.includes(other)).map((other) => `../${other}/x.ts`),
      "../main.ts",
      "../cli.ts",
      ...beyondBridge,
    ];
    const allowed = [...allowedRooms.map((other) => `../${other}/x.ts`), "../ports.ts", "../log.ts", "zod", "node:fs"];
    files[`local-mcp/src/${room}/x.ts`] = { imports: [...allowed, SHARED, "./y.ts", ...forbidden], forbidden };
  }
}
const everyBridgeRoom = bridgeRooms.map((room) => `./${room}/x.ts`);
files["local-mcp/src/config.ts"] = { imports: ["./ports.ts", SHARED, ...everyBridgeRoom], forbidden: everyBridgeRoom };
files["local-mcp/src/ports.ts"] = {
  imports: ["zod", SHARED, "./state/schema.ts", ...everyBridgeRoom],
  forbidden: everyBridgeRoom,
};
files["local-mcp/src/main.ts"] = { imports: ["./cli.ts", ...everyBridgeRoom], forbidden: [] };
const beyondCodeRag = ["../../../worker/src/x.ts", "../../../local-mcp/src/cli.ts", "../../../scripts/x.mjs"];
files["code-rag/src/node/x.ts"] = {
  imports: ["node:fs", "../engine/x.ts", "./cli/x.ts", SHARED, ...beyondCodeRag],
  forbidden: beyondCodeRag,
};
files["code-rag/src/engine/x.ts"] = {
  imports: ["./search/x.ts", SHARED, "node:fs", "../node/x.ts", ...beyondCodeRag],
  forbidden: ["node:fs", "../node/x.ts", ...beyondCodeRag],
};
files["worker/src/store/x.test.ts"] = { imports: ["../webhook/x.ts", "../../../test/x.ts"], forbidden: [] };

const root = fileURLToPath(new URL("..", import.meta.url));
const biome = join(dirname(createRequire(import.meta.url).resolve("@biomejs/biome/package.json")), "bin/biome");
let fixture: string;
let found: Map<string, string[]>;

beforeAll(async () => {
  fixture = mkdtempSync(join(tmpdir(), "import-rules-"));
  cpSync(join(root, "biome.imports.json"), join(fixture, "biome.imports.json"));
  const config = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
  writeFileSync(join(fixture, "biome.json"), JSON.stringify({ ...config, vcs: { enabled: false } }));
  for (const [path, { imports }] of Object.entries(files)) {
    mkdirSync(dirname(join(fixture, path)), { recursive: true });
    writeFileSync(join(fixture, path), imports.map((source) => `import "${source}";\n`).join(""));
  }
  found = await forbiddenImports();
});

afterAll(() => rmSync(fixture, { recursive: true, force: true }));

/** What `biome lint` refuses: the imports by file. */
async function forbiddenImports() {
  const args = [biome, "lint", "--only=style/noRestrictedImports", "--reporter=json", "--max-diagnostics=none", "."];
  const output = await new Promise<{ code: number; stdout: string }>((done) => {
    execFile(process.execPath, args, { cwd: fixture }, (error, stdout) =>
      done({ code: Number(error?.code ?? 0), stdout }),
    );
  });
  expect(output.code).toBe(1);
  const byFile = new Map<string, string[]>();
  for (const { category, location } of JSON.parse(output.stdout).diagnostics) {
    expect(category).toBe("lint/style/noRestrictedImports");
    const refused = byFile.get(location.path) ?? [];
    byFile.set(location.path, [...refused, files[location.path]?.imports[location.start.line - 1] ?? "?"]);
  }
  return byFile;
}

test.each(Object.entries(files))("the imports of %s", (path, { forbidden }) => {
  // Two rules may refuse the same import.
  expect([...new Set(found.get(path))].sort()).toEqual([...forbidden].sort());
});
