/** How a call says that somebody has to sign in: a text that a model can pass on, or a URL that the client opens. */
import type { SignInPrompt } from "../ports.ts";
import { RpcError, URL_ELICITATION_REQUIRED } from "./rpc-error.ts";

/**
 * The text for a person, with all that they need.
 * @param now milliseconds since the epoch
 */
export function signInSentence({ url, code, expiresAt }: SignInPrompt, now: number): string {
  const seconds = Math.max(0, Math.round((expiresAt - now) / 1_000));
  return [
    "Sign-in needed; until then nothing is known about your events.",
    `Open ${url}`,
    `The page must show the code ${code}. ${seconds} seconds are left.`,
    "A browser may have opened already. Make the same call again after signing in.",
  ].join("\n");
}

/** The error by which a client that declared `elicitation.url` opens the page itself, and knows when it is done with. */
export function urlElicitationError({ url, code }: SignInPrompt, elicitationId: string): RpcError {
  const message = `Sign in to your GitHub webhook Worker. The page must show the code ${code}.`;
  return new RpcError(URL_ELICITATION_REQUIRED, message, {
    elicitations: [{ mode: "url", elicitationId, url, message }],
  });
}

/** A bare `elicitation: {}` means forms only (MCP 2025-11-25, Elicitation, Capabilities). */
export function elicitsUrls(
  capabilities: { elicitation?: { url?: object | undefined } | undefined } | undefined,
): boolean {
  return capabilities?.elicitation?.url !== undefined;
}
