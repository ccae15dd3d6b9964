/**
 * The guard of local mode: what a web page or a tunnel must not be able to reach on someone's laptop.
 *
 * In local mode whoever can talk to the Worker is nearly signed in. A page in the person's browser can talk to
 * loopback by having its own host name rebound to 127.0.0.1 (Host gives it away) or by a cross-origin request
 * (Origin does); a tunnel says so in the Forwarded headers. GitHub's deliveries may come through a tunnel, since a
 * secret proves where they are from; without a secret, nothing does.
 */
import type { Config } from "./config.ts";
import { isLoopbackHost } from "./ip-range.ts";

/** Paths whose answer holds nothing that is not public. */
const PUBLIC_PATH = "/healthz";
const WEBHOOK_PATH = "/webhooks/github";

/**
 * Why a request is refused in local mode, as a message for its sender; null when it may pass, and always null outside
 * local mode. A Worker that has `LOCAL_MODE` set and is reached under another name is refused, too.
 */
export function localModeRefusal(
  config: Pick<Config, "localModeAsked" | "webhookSecrets">,
  request: { url: string; headers: Headers },
): string | null {
  if (!config.localModeAsked) return null;
  const url = new URL(request.url);
  if (url.pathname === PUBLIC_PATH) return null;
  if (url.pathname === WEBHOOK_PATH && config.webhookSecrets.length > 0) return null;

  const host = request.headers.get("host");
  if (!isLoopbackHost(url.hostname) || (host !== null && !isLoopbackAuthority(`http://${host}`))) {
    return "local mode answers only to a loopback host name, such as 127.0.0.1";
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !isLoopbackAuthority(origin)) {
    return "local mode answers no page of another origin";
  }
  for (const name of request.headers.keys()) {
    if (name === "forwarded" || name.startsWith("x-forwarded-")) {
      return "local mode answers nothing that was forwarded; deploy the Worker to publish it";
    }
  }
  return null;
}

/** Whether an origin names this machine. `null`, the origin of sandboxed pages and files, names nobody. */
function isLoopbackAuthority(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && isLoopbackHost(url.hostname);
}
