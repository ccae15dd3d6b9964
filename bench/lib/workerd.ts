/**
 * A bundled Worker on raw workerd, its Durable Objects on disk: the runtime alone, without the proxies that
 * `wrangler dev` puts in front of it.
 */
import type { ChildProcess } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Scratch } from "./scratch.ts";
import type { WorkerConfig } from "./worker-config.ts";

export interface Workerd {
  url: string;
  pid: number;
  /** WebSocket address of the isolate's inspector, where it was asked for. */
  inspector: string | null;
  /** The SQLite files of a class of Durable Objects. */
  databases(className: string): string[];
  stop(): Promise<void>;
}

export interface WorkerdOptions {
  name: string;
  /** From {@link bundle}. */
  modules: string;
  config: WorkerConfig;
  vars: Record<string, string>;
  /** Where the objects' databases are; kept between two starts. */
  data: string;
  /** Of 127.0.0.1; any free one unless given. */
  port?: number;
  /** Networks that the Worker may call, as workerd names them; none unless given. */
  outbound?: readonly string[];
  inspector?: boolean;
  v8Flags?: readonly string[];
}

const require = createRequire(import.meta.url);

/** The workerd of the pinned wrangler. */
export const workerdBinary: string = createRequire(require.resolve("wrangler/package.json"))("workerd").default;

/** Starts workerd and waits until it listens on 127.0.0.1. */
export async function startWorkerd(scratch: Scratch, options: WorkerdOptions): Promise<Workerd> {
  const configPath = join(scratch.dir, `${options.name}.capnp`);
  writeFileSync(configPath, capnp(scratch.dir, options));
  const child = scratch.start(workerdBinary, [
    "serve",
    "--experimental",
    "--control-fd=3",
    ...(options.inspector ? ["--inspector-addr=127.0.0.1:0"] : []),
    configPath,
  ]);
  const ports = await listening(child, options.inspector ? ["listen", "listen-inspector"] : ["listen"]);
  return {
    url: `http://127.0.0.1:${ports.get("listen")}`,
    pid: child.pid as number,
    inspector: options.inspector ? `ws://127.0.0.1:${ports.get("listen-inspector")}/main` : null,
    databases: (className) => {
      const folder = join(options.data, className);
      return readdirSync(folder)
        .filter((file) => file.endsWith(".sqlite") && !file.startsWith("metadata"))
        .map((file) => join(folder, file));
    },
    stop: () => scratch.stop(child),
  };
}

/** Ports by the kind of message with which workerd tells them. */
async function listening(child: ChildProcess, kinds: readonly string[]): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const message: { event: string; port: number } = JSON.parse(line);
    ports.set(message.event, message.port);
    if (kinds.every((kind) => ports.has(kind))) break;
  }
  return ports;
}

const MODULE_KINDS = [
  [/\.m?js$/, "esModule"],
  [/\.wasm$/, "wasm"],
  [/\.(txt|html|sql)$/, "text"],
  [/\.bin$/, "data"],
] as const;

/** https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
function capnp(base: string, options: WorkerdOptions): string {
  const { modules, config, vars, data, port = 0, outbound = [], v8Flags = [] } = options;
  const files = readdirSync(modules).flatMap((file) => {
    const kind = MODULE_KINDS.find(([pattern]) => pattern.test(file))?.[1];
    return kind === undefined
      ? []
      : [`(name = ${text(file)}, ${kind} = embed ${text(relative(base, join(modules, file)))})`];
  });
  // The first module is the entry.
  files.sort((a, b) => Number(b.includes('"index.js"')) - Number(a.includes('"index.js"')));
  const bindings = [
    ...Object.entries(vars).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`),
    ...config.durableObjects.map(
      ({ binding, className }) => `(name = ${text(binding)}, durableObjectNamespace = ${text(className)})`,
    ),
  ];
  const namespaces = config.durableObjects.map(
    ({ className }) => `(className = ${text(className)}, uniqueKey = ${text(className)}, enableSql = true)`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${files.join(", ")}],
      compatibilityDate = ${text(config.compatibilityDate)},
      compatibilityFlags = [${config.compatibilityFlags.map(text).join(", ")}],
      bindings = [${bindings.join(", ")}],
      durableObjectNamespaces = [${namespaces.join(", ")}],
      durableObjectStorage = (localDisk = "data"),
      globalOutbound = "outside",
    )),
    (name = "data", disk = (path = ${text(data)}, writable = true)),
    (name = "outside", network = (allow = [${outbound.map(text).join(", ")}])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
  v8Flags = [${v8Flags.map(text).join(", ")}],
);
`;
}

const text = (value: string) => JSON.stringify(value);
