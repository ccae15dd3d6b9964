/**
 * The state file: what the bridges on one machine share about one Worker. Every member may be missing; what does not
 * parse is dropped member by member, so that one spoilt part does not take a valid sign-in with it.
 */
import * as z from "zod";

/** Milliseconds since the epoch, by this machine's clock. */
const time = z.number().int().nonnegative();

/** RFC 7591 registration of this machine at the Worker. */
const client = z.object({ clientId: z.string().min(1) });

const tokens = z.object({
  accessToken: z.string().min(1),
  /** Null: when the access token ends, somebody has to sign in again. */
  refreshToken: z.string().min(1).nullable().catch(null),
  /** When they came, and how long the access token lasts from then on: no clock but our own is compared. */
  receivedAt: time,
  expiresInSeconds: z.number().int().positive(),
});

/** A sign-in that waits for a person: another process may go on polling it. */
const pendingSignIn = z.object({
  state: z.string().min(1),
  codeVerifier: z.string().min(1),
  url: z.string().min(1),
  code: z.string().min(1),
  startedAt: time,
  expiresAt: time,
});

/** The Worker's last lists, answered while it is slow or nobody has signed in. Passed through as they came. */
const lists = z.object({
  tools: z.array(z.looseObject({ name: z.string() })),
  prompts: z.array(z.looseObject({ name: z.string() })),
  resources: z.array(z.looseObject({ uri: z.string() })),
  resourceTemplates: z.array(z.looseObject({ uriTemplate: z.string() })),
  instructions: z.string().nullable(),
});

/** How far the events have been notified on this machine; never moves back. */
const stream = z.object({ cursor: z.string().min(1) });

export const bridgeState = z.object({
  client: client.optional(),
  tokens: tokens.optional(),
  pendingSignIn: pendingSignIn.optional(),
  lists: lists.optional(),
  stream: stream.optional(),
});
