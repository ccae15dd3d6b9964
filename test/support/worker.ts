/** The whole Worker as its callers reach it: by `fetch`, in workerd, with the bindings of vitest.config.ts. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { readConfig } from "../../worker/src/config.ts";
import worker from "../../worker/src/index.ts";

const configured = readConfig(env);
if (!configured.ok) throw new Error(configured.errors.join("; "));
const { config } = configured;

/** Where the Worker is in local mode. */
export const LOCAL = config.publicUrl;
export const WEBHOOK_SECRET = config.webhookSecrets[0]!;
/** Bearer token of local mode's one viewer. */
export const TOKEN = config.localToken!;
/** Where a deployed Worker is; see {@link workerWith}. */
export const DEPLOYED = "https://hooks.example";

export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** Any request, as the runtime would hand it to the Worker. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request);

/** A request to the Worker in local mode. `path` begins with a slash. */
export const fetchLocal: Fetch = (path, init) => send(new Request(LOCAL + path, init));

/** The same with the local viewer's token. */
export const fetchSignedIn: Fetch = (path, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${TOKEN}`);
  return fetchLocal(path, { ...init, headers });
};

/**
 * The Worker with another environment: deployed, not in local mode, unless `vars` say otherwise. Its Durable Objects
 * are those of the bindings, and keep their own environment; `bindings` replaces what it reaches them through.
 */
export function workerWith(
  vars: Record<string, string>,
  bindings: Partial<Env> = {},
): (request: Request) => Promise<Response> {
  const changed = { ...env, LOCAL_MODE: "", LOCAL_TOKEN: "", PUBLIC_URL: DEPLOYED, ...vars, ...bindings } as Env;
  return async (request) => {
    const context = createExecutionContext();
    const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], changed, context);
    await waitOnExecutionContext(context);
    return response;
  };
}
