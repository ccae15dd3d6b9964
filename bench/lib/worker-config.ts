/** What wrangler.toml says about the runtime, so that a bench runs the Worker under the same rules. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { root } from "./scratch.ts";

export interface WorkerConfig {
  main: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  durableObjects: { binding: string; className: string }[];
  vars: Record<string, string>;
}

export function readWorkerConfig(): WorkerConfig {
  const toml = parse(readFileSync(join(root, "wrangler.toml"), "utf8")) as unknown as {
    main: string;
    compatibility_date: string;
    compatibility_flags: string[];
    durable_objects: { bindings: { name: string; class_name: string }[] };
    vars: Record<string, string>;
  };
  return {
    main: join(root, toml.main),
    compatibilityDate: toml.compatibility_date,
    compatibilityFlags: toml.compatibility_flags,
    durableObjects: toml.durable_objects.bindings.map(({ name, class_name }) => ({
      binding: name,
      className: class_name,
    })),
    vars: toml.vars,
  };
}
