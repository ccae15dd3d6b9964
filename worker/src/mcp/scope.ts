/** Which scope a request needs, as the challenge that lets a client ask for it. */
import type { ScopeChallengeHandler } from "@modelcontextprotocol/server";
import { DEFAULT_SCOPES } from "../grants/bearer.ts";

/** Refuses callers without `scope` with 403 `insufficient_scope`, which names all that a client should ask for. */
export function needsScope(scope: string): ScopeChallengeHandler {
  return ({ authInfo }) =>
    authInfo?.scopes.includes(scope)
      ? undefined
      : { scopes: DEFAULT_SCOPES, errorDescription: `This needs the scope ${scope}: sign in again and allow it` };
}
