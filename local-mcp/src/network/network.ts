/**
 * HTTP and WebSocket by undici, which is bundled: on Node 18 only this gives both a proxy (HTTPS_PROXY, NO_PROXY), both
 * address families and headers on a WebSocket. NODE_EXTRA_CA_CERTS is Node's own, and holds for all of it.
 */
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { EnvHttpProxyAgent, fetch } from "undici";
import { warnOnce } from "../log.ts";
import type { Network, NetworkRequest, Socket, SocketHandlers } from "../ports.ts";
import { NetworkError, sentenceOf, wasCut } from "./network-error.ts";
import { openWebSocket } from "./web-socket.ts";

const DEFAULT_TIMEOUT_MS = 60_000;

/** Never through a proxy: what is on this machine is not reachable from there. */
const LOOPBACK = "localhost,127.0.0.1,[::1],::1";

/** `localhost` is both loopback addresses (RFC 6761 §6.3), also where the hosts file names one alone. */
const lookupBoth: LookupFunction = (hostname, options, callback) => {
  if (hostname === "localhost" && options.all) {
    callback(null, [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ]);
  } else lookup(hostname, options, callback as never);
};

/** @param env where HTTP_PROXY, HTTPS_PROXY and NO_PROXY stand, in upper or lower case */
export function createNetwork(env: Readonly<Record<string, string | undefined>>): Network {
  return new UndiciNetwork(env);
}

/** A proxy's URL; "" where there is none. Many programs take `host:port` as well. */
function proxyOf(name: string, value = ""): string {
  if (value.trim() === "") return "";
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url;
  // The value is not shown: it may hold a password.
  warnOnce(`${name} is not the address of an HTTP proxy, such as http://proxy.example.com:8080; going on without one.`);
  return "";
}

class UndiciNetwork implements Network {
  readonly #agent: EnvHttpProxyAgent;
  readonly #sockets = new Set<Socket>();

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const noProxy = env.no_proxy ?? env.NO_PROXY ?? "";
    this.#agent = new EnvHttpProxyAgent({
      // Never undefined: undici would then read the environment itself.
      httpProxy: proxyOf("HTTP_PROXY", env.http_proxy ?? env.HTTP_PROXY),
      httpsProxy: proxyOf("HTTPS_PROXY", env.https_proxy ?? env.HTTPS_PROXY),
      noProxy: noProxy === "*" ? "*" : `${noProxy},${LOOPBACK}`,
      // Off by default before Node 20: `localhost` may be ::1 while the server listens on 127.0.0.1 only.
      connect: { autoSelectFamily: true, timeout: 15_000, lookup: lookupBoth },
    });
  }

  async fetch(url: string, init: NetworkRequest = {}): Promise<Response> {
    try {
      return await this.#fetchOnce(url, init);
    } catch (error) {
      // A pooled connection that died meanwhile. Everything that the bridge asks may be asked twice.
      if (wasCut(error) && !init.signal?.aborted) {
        return await this.#fetchOnce(url, init).catch((again) => {
          throw asNetworkError(again, url, init.signal);
        });
      }
      throw asNetworkError(error, url, init.signal);
    }
  }

  async #fetchOnce(
    url: string,
    { timeoutMs = DEFAULT_TIMEOUT_MS, signal, ...init }: NetworkRequest,
  ): Promise<Response> {
    const ended = new AbortController();
    const end = () => ended.abort(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
    const timer = setTimeout(() => ended.abort(new NetworkError(sentenceOf(null, url, timeoutMs / 1_000))), timeoutMs);
    try {
      // Redirects are for the caller to judge: a token must not follow one to another host.
      const request = { ...init, signal: ended.signal, dispatcher: this.#agent, redirect: "manual" as const };
      return (await fetch(url, request)) as unknown as Response;
    } catch (error) {
      signal?.removeEventListener("abort", end);
      throw error;
    } finally {
      // From here on the body is read, however long it lasts; `signal` ends that as well.
      clearTimeout(timer);
    }
  }

  async openSocket(url: string, headers: Record<string, string>, handlers: SocketHandlers): Promise<Socket> {
    const socket = await openWebSocket(this.#agent, url, headers, {
      onText: handlers.onText,
      onClose: (code, reason) => {
        this.#sockets.delete(socket);
        handlers.onClose(code, reason);
      },
    });
    this.#sockets.add(socket);
    return socket;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.close();
    await this.#agent.destroy();
  }
}

function asNetworkError(error: unknown, url: string, signal?: AbortSignal): unknown {
  if (error instanceof NetworkError || signal?.aborted) return error;
  return new NetworkError(sentenceOf(error, url));
}
