import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copies } from "./single-copies.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "copies-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A package as pnpm lays it out: in `.pnpm/ID/node_modules/NAME`, its dependencies linked beside it. */
function installed(id: string, name: string, dependencies: Record<string, string> = {}) {
  const folder = join(root, "node_modules/.pnpm", id, "node_modules", name);
  write(folder, { name, version: "1.0.0", peerDependencies: dependencies });
  for (const [dependency, target] of Object.entries(dependencies)) {
    link(join(root, "node_modules/.pnpm", id, "node_modules", dependency), target);
  }
  return folder;
}

function workspace(folder: string, dependencies: Record<string, string>, kind = "dependencies") {
  write(join(root, folder), { name: folder || "root", [kind]: dependencies });
  for (const [name, target] of Object.entries(dependencies)) link(join(root, folder, "node_modules", name), target);
}

function write(folder: string, manifest: object) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
}

function link(path: string, target: string) {
  mkdirSync(join(path, ".."), { recursive: true });
  symlinkSync(target, path);
}

test("one folder reached over several ways is one copy", () => {
  const zod = installed("zod@4", "zod");
  const sdk = installed("sdk@1_zod@4", "@scope/sdk", { zod });
  workspace("", { "@scope/sdk": sdk, zod }, "devDependencies");
  workspace("worker", { "@scope/sdk": sdk, zod });
  expect(copies(root, ["", "worker"], ["@scope/sdk", "zod"])).toEqual([]);
});

test("two versions are two copies, wherever in the graph they are needed", () => {
  const zod4 = installed("zod@4", "zod");
  const zod3 = installed("zod@3", "zod");
  const agents = installed("agents@1", "agents", { zod: zod3 });
  workspace("", {});
  workspace("worker", { agents, zod: zod4 });
  const [message, ...others] = copies(root, ["", "worker"], ["zod"]);
  expect(others).toEqual([]);
  expect(message).toContain("zod is there 2 times");
  expect(message).toContain("zod@3/node_modules/zod (needed by agents)");
  expect(message).toContain("zod@4/node_modules/zod (needed by worker)");
});

test("one version with two sets of peers is two copies as well", () => {
  const zod = installed("zod@4", "zod");
  const one = installed("sdk@1_zod@4", "@scope/sdk", { zod });
  const other = installed("sdk@1", "@scope/sdk");
  workspace("", { "@scope/sdk": other });
  workspace("worker", { "@scope/sdk": one });
  expect(copies(root, ["", "worker"], ["@scope/sdk"])).toHaveLength(1);
});
