/** Bundles a Worker as `wrangler deploy` would upload it. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root, type Scratch } from "./scratch.ts";
import type { WorkerConfig } from "./worker-config.ts";

/** @returns the folder with index.js and what it imports */
export function bundle(scratch: Scratch, name: string, config: WorkerConfig): string {
  const out = scratch.folder(name);
  const configPath = join(scratch.dir, `${name}.json`);
  writeFileSync(
    configPath,
    JSON.stringify({
      name: `bench-${name}`,
      main: config.main,
      compatibility_date: config.compatibilityDate,
      compatibility_flags: config.compatibilityFlags,
      durable_objects: {
        bindings: config.durableObjects.map(({ binding, className }) => ({ name: binding, class_name: className })),
      },
      migrations: [{ tag: "v1", new_sqlite_classes: config.durableObjects.map(({ className }) => className) }],
    }),
  );
  const wrangler = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
  const run = spawnSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", out, "--config", configPath], {
    cwd: root,
    encoding: "utf8",
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_SEND_ERROR_REPORTS: "false",
      WRANGLER_HIDE_BANNER: "true",
    },
  });
  if (run.status !== 0) throw new Error(`wrangler could not bundle ${config.main}:\n${run.stdout}${run.stderr}`);
  return out;
}
