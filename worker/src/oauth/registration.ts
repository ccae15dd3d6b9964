/**
 * What a client may say about itself, by registration (RFC 7591) or in a metadata document: read leniently, since one
 * odd member must not sink a client, and strictly where it decides anything.
 */
import { z } from "zod";
import { GRANT_TYPES, POLL_GRANT } from "./metadata.ts";
import { redirectUriProblem } from "./redirect-uri.ts";
import type { Refusal } from "./refusal.ts";

/** A member that is null or empty is absent; one that is not what it should be, too. */
const lenient = <T extends z.ZodType>(schema: T) =>
  z
    .preprocess((value) => (value === null || value === "" ? undefined : value), schema.optional())
    .catch(undefined as never);

const shortText = lenient(z.string().max(2_000));
const texts = lenient(z.array(z.string().max(2_000)).max(50));

/** Members that are given back as they came, and mean nothing here. */
const ECHOED = ["client_uri", "logo_uri", "tos_uri", "policy_uri", "software_id", "software_version"] as const;

const metadataSchema = z.object({
  client_name: shortText,
  redirect_uris: z.preprocess((value) => value ?? undefined, z.array(z.string()).max(50).optional()),
  grant_types: texts,
  application_type: shortText,
  contacts: texts,
  scope: shortText,
  client_uri: shortText,
  logo_uri: shortText,
  tos_uri: shortText,
  policy_uri: shortText,
  software_id: shortText,
  software_version: shortText,
});

type Metadata = z.infer<typeof metadataSchema>;

export interface ClientMetadata {
  name: string | null;
  redirectUris: string[];
  grantTypes: string[];
  /** What is given back besides: present members only. */
  echo: Record<string, string | string[]>;
}

export type ReadMetadata = { ok: true; metadata: ClientMetadata } | { ok: false; refusal: Refusal };

/** Reads a client's metadata. `poll`: whether it may be for the poll grant. */
export function readMetadata(json: unknown, poll: boolean): ReadMetadata {
  const parsed = metadataSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const list = issue?.path[0] === "redirect_uris";
    return refuse(
      list
        ? { kind: "redirect-uri", description: "redirect_uris must be a list of at most 50 URIs." }
        : { kind: "client-metadata", description: "The client's metadata must be a JSON object." },
    );
  }
  const grantTypes = grantTypesOf(parsed.data, poll);
  const redirectUris = parsed.data.redirect_uris ?? [];
  if (redirectUris.length === 0 && grantTypes.includes("authorization_code")) {
    return refuse({ kind: "redirect-uri", description: "A client for authorization_code needs redirect_uris." });
  }
  for (const uri of redirectUris) {
    const problem = redirectUriProblem(uri);
    if (problem)
      return refuse({ kind: "redirect-uri", description: `The redirect URI ${uri.slice(0, 100)} ${problem}.` });
  }
  const name = parsed.data.client_name ? displayName(parsed.data.client_name) : null;
  return { ok: true, metadata: { name, redirectUris, grantTypes, echo: echoOf(parsed.data) } };
}

function refuse(refusal: Refusal): ReadMetadata {
  return { ok: false, refusal };
}

/** Those of the asked-for types that exist here. Refresh tokens are given regardless. */
function grantTypesOf({ grant_types: asked }: Metadata, poll: boolean): string[] {
  const known = GRANT_TYPES.filter((type) => asked?.includes(type) && (poll || type !== POLL_GRANT));
  const signsIn = known.some((type) => type !== "refresh_token");
  return [...new Set([...(signsIn ? known : ["authorization_code"]), "refresh_token"])];
}

function echoOf(metadata: Metadata): ClientMetadata["echo"] {
  const echo: ClientMetadata["echo"] = {};
  for (const name of [...ECHOED, "application_type", "scope", "contacts"] as const) {
    const value = metadata[name];
    if (value !== undefined) echo[name] = value;
  }
  return echo;
}

const MAX_NAME = 80;

/** A name as people are shown it: one short line, without characters that reorder or hide text. */
export function displayName(name: string): string {
  const line = name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  const characters = Array.from(line);
  if (characters.length <= MAX_NAME) return line;
  return `${characters
    .slice(0, MAX_NAME - 1)
    .join("")
    .trimEnd()}…`;
}
