/** What a token can be good for. */
export const READ_SCOPE = "events:read";
/** Marks events as processed. */
export const WRITE_SCOPE = "events:write";
/** The code index. */
export const CODE_SCOPE = "code:read";

export const KNOWN_SCOPES = [READ_SCOPE, WRITE_SCOPE, CODE_SCOPE] as const;

/** What a client is asked to ask for, and gets when it asks for nothing: marking must work. */
export const DEFAULT_SCOPES = [READ_SCOPE, WRITE_SCOPE] as const;
