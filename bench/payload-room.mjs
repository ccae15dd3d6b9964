/**
 * What a body costs on its way through the payload room (read, parse or outline, pack), and back (unpack, prune), in
 * workerd: CPU time of the process, and the peak of its resident memory above idle, for one upload and for three in a
 * row (what the first leaves behind is not collected yet). For
 * docs/decisions/010-payload-compression.md.
 *
 *     node bench/payload-room.mjs
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const root = new URL("..", import.meta.url).pathname;
const wrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));

const worker = `
import { readBody } from "./worker/src/payload/body.ts";
import { pack, unpack, unpackStream } from "./worker/src/payload/codec.ts";
import { parsePayload } from "./worker/src/payload/parse.ts";
import { pruneJson } from "./shared/src/json-text/prune.ts";
let kept;
export default { async fetch(request) {
  const url = new URL(request.url);
  const times = Number(url.searchParams.get("times") ?? 1);
  const type = request.headers.get("Content-Type");
  switch (url.pathname) {
    case "/read": return Response.json((await readBody(request, 26214400)).bytes.length);
    case "/parse": { const { bytes } = await readBody(request, 26214400); for (let i = 0; i < times; i++) parsePayload(bytes, type); return new Response(); }
    case "/pack": { const { bytes } = await readBody(request, 26214400); for (let i = 0; i < times; i++) pack(bytes); return new Response(); }
    case "/ingest": {
      const { bytes } = await readBody(request, 26214400);
      const payload = parsePayload(bytes, type);
      if ("rejection" in payload) return Response.json(payload, { status: 400 });
      kept = pack(payload.json);
      return Response.json({ size: kept.size, stored: kept.chunks.reduce((sum, chunk) => sum + chunk.length, 0) });
    }
    case "/stream": return new Response(unpackStream(kept));
    case "/prune": return new Response(pruneJson(unpack(kept), 400_000).text);
  }
  return new Response();
} };`;

const commit = (i) => {
  const id = Array.from({ length: 5 }, (_, k) =>
    (((i + 1) * (k + 3) * 2_654_435_761) >>> 0).toString(16).padStart(8, "0"),
  ).join("");
  return {
    id,
    message: `Fix number ${i}: "quoted" é`,
    url: `https://github.com/o/r/commit/${id}`,
    author: { name: `Mona ${i % 97}`, email: `m${i % 97}@example.com` },
    added: [],
    removed: [],
    modified: [`src/file-${i % 1_013}.ts`],
  };
};
const pushOf = (count) =>
  JSON.stringify({
    ref: "refs/heads/main",
    commits: Array.from({ length: count }, (_, i) => commit(i)),
    repository: { id: 1 },
  });
/** A push whose body, `encoded`, is about so many bytes. */
const push = (bytes, encoded = (text) => text) => {
  const size = (count) => Buffer.byteLength(encoded(pushOf(count)));
  const sample = Math.floor((bytes / size(5_000)) * 5_000);
  return encoded(pushOf(Math.floor((sample * bytes) / size(sample))));
};
const examples = JSON.parse(
  readFileSync(
    new URL(
      "api.github.com/index.json",
      `file://${createRequire(import.meta.url).resolve("@octokit/webhooks-examples/package.json")}`,
    ),
    "utf8",
  ),
);
const form = (json) => `payload=${encodeURIComponent(json)}`;
const hostile = `{"client_payload":{${Array.from({ length: 1_200_000 }, (_, i) => `"key${i}":${i}`).join(",")}}}`;
const bodies = [
  ["issue_comment", JSON.stringify(examples.find(({ name }) => name === "issue_comment").examples[0]), 1_000],
  ["push, 2.5 MB", push(2.5e6), 4],
  ["push, 24.9 MB", push(24.9e6), 1],
  ["push, as a form of 24.9 MB", push(24.9e6, form), 1],
  ["one string, 24.9 MB", JSON.stringify({ a: "lorem ipsum dolor ".repeat(1_383_000) }), 1],
  ["1.2 million members", hostile, 1],
];

const dir = mkdtempSync(join(tmpdir(), "payload-room-"));
try {
  wrangler("esbuild").buildSync({
    stdin: { contents: worker, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    target: "es2024",
    external: ["node:*"],
    outfile: join(dir, "worker.mjs"),
    logLevel: "warning",
  });
  writeFileSync(
    join(dir, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .bench)], sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);
const bench :Workerd.Worker = (modules = [(name = "worker.mjs", esModule = embed "worker.mjs")], compatibilityDate = "2026-11-01");`,
  );
  console.table(Object.fromEntries(await Array.fromAsync(bodies, measure)));
} finally {
  rmSync(dir, { recursive: true });
}

async function measure([name, text, times]) {
  const body = new TextEncoder().encode(text);
  const type = text.startsWith("payload=") ? "application/x-www-form-urlencoded" : "application/json";
  const call = async (url, path, rounds) => {
    for (let round = 0; round < rounds; round++) {
      const init = /stream|prune/.test(path) ? {} : { method: "POST", headers: { "Content-Type": type }, body };
      const response = await fetch(url + path, init);
      await response.bytes();
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
    }
  };
  // Each peak from a process of its own, so that what one run leaves behind is not charged to the next.
  const peak = (path, rounds) =>
    withWorkerd(async ({ url, memory }) => {
      await (await fetch(url)).bytes();
      const before = memory("VmRSS");
      await call(url, path, rounds);
      return Math.round((memory("VmHWM") - before) / 1e6);
    });
  const columns = await withWorkerd(async ({ url, cpu }) => {
    const spent = async (path, rounds) => {
      await call(url, path, 1);
      const start = cpu();
      await call(url, path, rounds);
      return (cpu() - start) / rounds;
    };
    const repeated = async (path) =>
      ((await spent(`${path}?times=${6 * times}`, 3)) - (await spent(`${path}?times=${times}`, 3))) / (5 * times);
    const read = await spent("/read", 5);
    const parse = await repeated("/parse");
    const packing = await repeated("/pack");
    const post = { method: "POST", headers: { "Content-Type": type }, body };
    const { size, stored } = await (await fetch(`${url}/ingest`, post)).json();
    const figures = { read, parse, pack: packing, stream: await spent("/stream", 5), prune: await spent("/prune", 5) };
    const shown = Object.entries(figures).map(([step, ms]) => [`${step} ms`, ms.toPrecision(3)]);
    return { bytes: body.length, json: size, stored, ...Object.fromEntries(shown) };
  });
  return [name, { ...columns, "peak MB": await peak("/ingest", 1), "of three": await peak("/ingest", 3) }];
}

async function withWorkerd(use) {
  const child = spawn(wrangler("workerd").default, ["serve", "--control-fd=3", join(dir, "config.capnp")], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  try {
    for await (const line of createInterface({ input: child.stdio[3] })) {
      const event = JSON.parse(line);
      if (event.event !== "listen") continue;
      const memory = (field) =>
        Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) * 1024;
      // In ticks of 10 ms; all threads, so compilation and garbage collection count.
      const cpu = () => {
        const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1].split(" ");
        return (Number(fields[11]) + Number(fields[12])) * 10;
      };
      return await use({ cpu, url: `http://127.0.0.1:${event.port}`, memory });
    }
  } finally {
    child.kill("SIGKILL");
  }
}
