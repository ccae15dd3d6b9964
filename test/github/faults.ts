/** What can go wrong with GitHub, on demand. */
import { setTimeout as pause } from "node:timers/promises";

export type FaultKind =
  /** The connection is cut. */
  | "down"
  /** An answer after `delayMs` (11 s), which is more than anybody should wait. */
  | "slow"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  /** The hourly limit is spent: 403 with GitHub's headers. */
  | "rate-limit"
  /** Too much at once: 429 with Retry-After. */
  | "secondary-rate-limit"
  | "server-error"
  /** A page of something in between, with status 200. */
  | "html"
  /** JSON that is not what was asked for. */
  | "garbage"
  /** JSON that breaks off. */
  | "truncated"
  | "redirect"
  /** A proxy's own 401, which says nothing about the token. */
  | "proxy-unauthorized";

export interface Fault {
  kind: FaultKind;
  /** Paths that start with it, `/api/v3` taken away; default all. */
  path?: string;
  /** How often; default until the faults are cleared. */
  times?: number;
  delayMs?: number;
}

export class Faults {
  #faults: Fault[] = [];

  set(...faults: Fault[]): void {
    this.#faults = faults;
  }

  /** The answer of the fault that is set for a path: null = cut, undefined = all is well. */
  async answer(path: string): Promise<Response | null | undefined> {
    const fault = this.#faults.find((one) => path.startsWith(one.path ?? "/") && one.times !== 0);
    if (!fault) return undefined;
    if (fault.times !== undefined) fault.times--;
    return faultyAnswer(fault);
  }
}

const HTML = "<!DOCTYPE html><title>502 Bad Gateway</title>";

async function faultyAnswer({ kind, delayMs = 11_000 }: Fault): Promise<Response | null | undefined> {
  switch (kind) {
    case "down":
      return null;
    case "slow":
      await pause(delayMs);
      return undefined;
    case "unauthorized":
      return Response.json(
        { message: "Bad credentials", documentation_url: "https://docs.github.com/rest" },
        { status: 401 },
      );
    case "forbidden":
      return Response.json({ message: "Resource not accessible by integration" }, { status: 403 });
    case "not-found":
      return Response.json({ message: "Not Found" }, { status: 404 });
    case "rate-limit": {
      const reset = Math.floor(Date.now() / 1_000) + 1_200;
      const headers = { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(reset) };
      return Response.json({ message: "API rate limit exceeded for user ID 1." }, { status: 403, headers });
    }
    case "secondary-rate-limit":
      return Response.json(
        { message: "You have exceeded a secondary rate limit." },
        { status: 429, headers: { "Retry-After": "45" } },
      );
    case "server-error":
      return html(502);
    case "html":
      return html(200);
    case "garbage":
      return Response.json({ id: "octocat", total_count: "many", installations: [null], repositories: {} });
    case "truncated":
      return new Response('{"id": 1, "login": "mo', { headers: { "Content-Type": "application/json" } });
    case "redirect":
      return new Response(null, { status: 302, headers: { Location: "http://127.0.0.1:9/elsewhere" } });
    case "proxy-unauthorized":
      return html(401);
  }
}

function html(status: number): Response {
  return new Response(HTML, { status, headers: { "Content-Type": "text/html" } });
}
