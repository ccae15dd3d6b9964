/** Who a client id stands for: a registered client, or the author of a metadata document. */
import type { OAuthPort } from "../grants/oauth-port.ts";
import { type ClientRecord, LIFETIMES } from "../grants/records.ts";
import { fetchClientDocument, isDocumentUrl } from "./client-document.ts";

/** How long a document that was read is not read again, and how long it serves when it can't be. */
const FRESH_MS = 3_600_000;
const STALE_MS = 24 * FRESH_MS;

export type FoundClient = { ok: true; client: ClientRecord } | { ok: false; problem: string | null };

type Clients = Pick<OAuthPort, "client" | "putClient">;

/** For the authorization endpoint, which goes by what the document says now. `problem` null = never heard of. */
export async function clientForAuthorization(clients: Clients, clientId: string, now: number): Promise<FoundClient> {
  const known = await clients.client(clientId);
  if (known && (known.kind === "registered" || now - known.readAt < FRESH_MS)) return { ok: true, client: known };
  if (!isDocumentUrl(clientId)) return { ok: false, problem: null };
  const read = await fetchClientDocument(clientId);
  if (read.ok) {
    const { name, redirectUris, grantTypes } = read.metadata;
    const times = { readAt: now, expiresAt: now + LIFETIMES.client };
    const client: ClientRecord = { clientId, kind: "document", name, redirectUris, grantTypes, ...times };
    await clients.putClient(client);
    return { ok: true, client };
  }
  if (known && now - known.readAt < STALE_MS) return { ok: true, client: known };
  return { ok: false, problem: read.problem };
}
