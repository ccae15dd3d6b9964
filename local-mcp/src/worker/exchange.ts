/**
 * What the SDK's transport asks the network for, and what is to be known about it outside the SDK: the reason of a
 * failure, which the SDK wraps or turns into another, and the early end of an answer's stream, which it waits out.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Network } from "../ports.ts";
import { FailedExchange, type WorkerFailure } from "./failure.ts";

/** One request to the Worker, with everything that is done for it. */
export interface Exchange {
  failure: WorkerFailure | null;
  /** The stream of an answer ended or broke; too late to matter where the answer had come. */
  onStreamEnd?(): void;
}

export const currentExchange = new AsyncLocalStorage<Exchange>();

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * `fetch` for the SDK's transport: adds the bearer token, and fails with a {@link FailedExchange} where the status or
 * the media type leaves the SDK nothing to read. Other refusals pass: the SDK finds out from them which protocol the
 * Worker speaks.
 */
export function workerFetch(network: Network, token: () => string): FetchLike {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    headers.authorization = `Bearer ${token()}`;
    let response: Response;
    try {
      response = await network.fetch(String(url), {
        method: init.method ?? "GET",
        headers,
        ...(typeof init.body === "string" && { body: init.body }),
        ...(init.signal && { signal: init.signal }),
      });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw failed({ kind: "network", sentence: error instanceof Error ? error.message : String(error) });
    }
    const failure = failureOf(response, String(url));
    if (failure) {
      await response.body?.cancel().catch(() => {});
      throw failed(failure);
    }
    const onStreamEnd = currentExchange.getStore()?.onStreamEnd;
    return onStreamEnd && mediaType(response) === "text/event-stream" ? whenEnded(response, onStreamEnd) : response;
  };
}

function failed(failure: WorkerFailure): FailedExchange {
  const exchange = currentExchange.getStore();
  if (exchange) exchange.failure = failure;
  return new FailedExchange(failure);
}

function failureOf(response: Response, url: string): WorkerFailure | null {
  const { status, headers } = response;
  // RFC 6750 §3.1
  if (status === 401) return { kind: "unauthorized" };
  const scope = /error="insufficient_scope"/.test(headers.get("www-authenticate") ?? "")
    ? (/\bscope="([^"]*)"/.exec(headers.get("www-authenticate") ?? "")?.[1] ?? "more")
    : null;
  if (status === 403) return scope === null ? { kind: "status", status } : { kind: "scope", scope };
  if (status === 429) return { kind: "limited", retryAfterSeconds: retryAfter(headers.get("retry-after")) };
  if (status >= 500) return { kind: "status", status };
  const target = redirectTarget(response, url);
  if (target !== null) return { kind: "redirect", target };
  if (mediaType(response) === "text/html") return status === 404 ? { kind: "status", status } : { kind: "web-page" };
  return null;
}

/** Where a redirect to another origin leads; such a one is not followed with a token. */
function redirectTarget({ status, headers, redirected, url: reached }: Response, url: string): string | null {
  const { origin } = new URL(url);
  if (redirected && reached !== "" && new URL(reached).origin !== origin) return new URL(reached).origin;
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  if (location === null || !URL.canParse(location, url)) return null;
  const target = new URL(location, url).origin;
  return target === origin ? null : target;
}

function mediaType({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
}

/** Seconds of a Retry-After (RFC 9110 §10.2.3); a date counts as unknown: clocks differ. */
function retryAfter(value: string | null): number | null {
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) : null;
}

/** The same response; `ended` is called once its body has ended, broken or been cancelled. */
function whenEnded(response: Response, ended: () => void): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      ended();
    },
    async cancel(reason) {
      await reader.cancel(reason);
      ended();
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
