/** The two documents by which clients find their way (RFC 8414, RFC 9728). */
import { KNOWN_SCOPES } from "../grants/scopes.ts";

export const POLL_GRANT = "urn:ietf:params:oauth:grant-type:web_authorization_poll";

export const GRANT_TYPES = ["authorization_code", "refresh_token", POLL_GRANT] as const;

/** RFC 8414. The issuer is `publicUrl` to the byte: strict clients compare it with what they asked. */
export function authorizationServerMetadata(publicUrl: string) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    scopes_supported: KNOWN_SCOPES,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
}

/** RFC 9728. The resource is the URL that people type into their client. */
export function protectedResourceMetadata(publicUrl: string) {
  return {
    resource: `${publicUrl}/mcp`,
    authorization_servers: [publicUrl],
    scopes_supported: KNOWN_SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "GitHub webhooks",
  };
}
