import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Socket as TcpSocket,
} from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocketServer } from "ws";
import type { Network } from "../ports.ts";
import { createNetwork } from "./network.ts";

const open: (() => void)[] = [];
const networks: Network[] = [];

afterEach(async () => {
  for (const network of networks.splice(0)) await network.close();
  for (const close of open.splice(0)) close();
});

function network(env: Record<string, string> = {}): Network {
  const made = createNetwork(env);
  networks.push(made);
  return made;
}

async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((done) => server.listen(0, host, done));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Answers every request with its headers, and every WebSocket with the bearer that it came with, then echoes. */
function echo(server: Server): Server {
  server.on("request", (request, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(request.headers));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket, request) => {
    socket.send(`bearer ${request.headers.authorization}`);
    socket.on("message", (data) => socket.send(String(data)));
  });
  return server;
}

/** The first text of a socket, and its end. */
async function firstText(network: Network, url: string): Promise<string> {
  let heard: (text: string) => void = () => {};
  const text = new Promise<string>((done) => {
    heard = done;
  });
  const socket = await network.openSocket(url, { authorization: "Bearer t" }, { onText: heard, onClose: () => {} });
  const first = await text;
  socket.close();
  return first;
}

describe("both address families (row 28)", () => {
  for (const host of ["127.0.0.1", "::1"]) {
    it(`reaches localhost by fetch and by WebSocket where the server listens on ${host} only`, async () => {
      const port = await listen(echo(createServer()), host);
      const url = `http://localhost:${port}`;
      expect((await network().fetch(url)).status).toBe(200);
      expect(await firstText(network(), `${url}/events`)).toBe("bearer Bearer t");
    });
  }
});

describe("what fails", () => {
  it("is told with what to do: no such name, nothing there, no answer", async () => {
    const dead = createServer();
    const port = await listen(dead);
    await new Promise((done) => dead.close(done));
    await expect(network().fetch(`http://127.0.0.1:${port}`)).rejects.toThrow(/connection refused/);
    await expect(network().fetch("https://no-such-host.invalid")).rejects.toThrow(/can't be resolved/);
    await expect(firstText(network(), `http://127.0.0.1:${port}/events`)).rejects.toThrow(/connection refused/);

    const silent = createTcpServer(() => {});
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    open.push(() => silent.close());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(network().fetch(url, { timeoutMs: 200 })).rejects.toThrow("gave no answer within 0.2 seconds");
  });

  it("carries the status with which a WebSocket was refused", async () => {
    const refusing = createServer();
    refusing.on("upgrade", (_, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"));
    const port = await listen(refusing);
    await expect(firstText(network(), `http://127.0.0.1:${port}/events`)).rejects.toMatchObject({ status: 401 });
  });

  it("is tried once more where a pooled connection has died, and not for ever", async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests++;
      if (requests === 2 || requests > 3) request.socket.destroy();
      else response.end("ok");
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    const one = network();
    expect(await (await one.fetch(url)).text()).toBe("ok");
    expect(await (await one.fetch(url, { method: "POST", body: "{}" })).text()).toBe("ok");
    expect(requests).toBe(3);
    await expect(one.fetch(url)).rejects.toThrow(/failed/);
    expect(requests).toBe(5);
  });

  it("leaves redirects to the caller", async () => {
    const server = createServer((_, response) => response.writeHead(302, { Location: "https://evil.example/" }).end());
    const response = await network().fetch(`http://127.0.0.1:${await listen(server)}`);
    expect([response.status, response.headers.get("location")]).toEqual([302, "https://evil.example/"]);
  });
});

describe("ending", () => {
  it("tells of a socket's end once, also where the other side never answers a close", async () => {
    const server = createServer();
    server.on("upgrade", (request, socket) => {
      const accept = execFileSync(process.execPath, [
        "-e",
        `process.stdout.write(require("crypto").createHash("sha1").update(${JSON.stringify(request.headers["sec-websocket-key"])} + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64"))`,
      ]);
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
    });
    const url = `http://127.0.0.1:${await listen(server)}/events`;
    const ends: number[] = [];
    const started = await network().openSocket(url, {}, { onText: () => {}, onClose: (code) => ends.push(code) });
    started.close();
    await new Promise((done) => setTimeout(done, 900));
    expect(ends).toHaveLength(1);
  });
});

describe("HTTPS_PROXY", () => {
  it("may be host:port", async () => {
    const tunnels: string[] = [];
    const proxy = createServer().on("connect", (request, client) => {
      tunnels.push(request.url ?? "");
      client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    const port = await listen(proxy);
    await expect(network({ HTTPS_PROXY: `127.0.0.1:${port}` }).fetch("https://worker.example/")).rejects.toThrow(
      "The proxy refuses to connect to worker.example (HTTP 403)",
    );
    expect(tunnels).toContain("worker.example:443");
  });

  it("that is no address is named and left out, and its password is not", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const url = `http://127.0.0.1:${await listen(echo(createServer()))}`;
    expect((await network({ HTTPS_PROXY: "socks5://mona:secret@proxy.example" }).fetch(url)).status).toBe(200);
    const said = stderr.mock.calls.join();
    stderr.mockRestore();
    expect(said).toContain("HTTPS_PROXY is not the address of an HTTP proxy");
    expect(said).not.toContain("secret");
  });
});

describe("proxies and private certificate authorities (row 29)", () => {
  it("are used by fetch and WebSocket; without the authority's file the cause is named and nothing is sent", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-ca-"));
    open.push(() => rmSync(folder, { recursive: true }));
    const file = (name: string) => join(folder, name);
    const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=Test CA",
      "-keyout",
      file("ca.key"),
      "-out",
      file("ca.pem"),
    );
    openssl(
      "req",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-subj",
      "/CN=worker.example",
      "-addext",
      "subjectAltName=DNS:worker.example",
      "-keyout",
      file("w.key"),
      "-out",
      file("w.csr"),
    );
    openssl(
      "x509",
      "-req",
      "-in",
      file("w.csr"),
      "-CA",
      file("ca.pem"),
      "-CAkey",
      file("ca.key"),
      "-CAcreateserial",
      "-days",
      "2",
      "-copy_extensions",
      "copy",
      "-out",
      file("w.pem"),
    );
    const worker = echo(
      createTlsServer({ key: readFileSync(file("w.key")), cert: readFileSync(file("w.pem")) }) as never,
    );
    const port = await listen(worker);

    // A CONNECT proxy to which alone the name worker.example means anything.
    const tunnels: string[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, client: TcpSocket) => {
      tunnels.push(request.url ?? "");
      const upstream = connectTcp(port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(upstream).pipe(client);
      });
      for (const end of [client, upstream]) end.on("error", () => client.destroy());
    });
    const proxyPort = await listen(proxy);

    const run = (env: Record<string, string>) =>
      new Promise<string>((done) => {
        const script = `
          import { createNetwork } from ${JSON.stringify(new URL("network.ts", import.meta.url).href)};
          const network = createNetwork(process.env);
          const say = (part) => (value) => console.log(part, value);
          await network.fetch("https://worker.example/").then((r) => r.status).then(say("fetch"), (e) => say("fetch")(e.message));
          await new Promise((next) => network.openSocket("https://worker.example/events", { authorization: "Bearer t" }, {
            onText: (text) => { say("socket")(text); next(); }, onClose: () => {},
          }).catch((e) => { say("socket")(e.message); next(); }));
          await network.close();`;
        const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
          env: { PATH: process.env.PATH, HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`, ...env },
          stdio: ["ignore", "pipe", "inherit"],
        });
        let output = "";
        child.stdout.on("data", (data) => {
          output += data;
        });
        child.on("close", () => done(output));
      });

    expect(await run({ NODE_EXTRA_CA_CERTS: file("ca.pem") })).toBe("fetch 200\nsocket bearer Bearer t\n");
    expect(tunnels).toEqual(["worker.example:443", "worker.example:443"]);
    const untrusted = await run({});
    expect(untrusted.match(/set NODE_EXTRA_CA_CERTS/g)).toHaveLength(2);
    expect(await run({ NO_PROXY: "worker.example" })).toMatch(/can't be resolved[\s\S]*can't be resolved/);
  });
});
