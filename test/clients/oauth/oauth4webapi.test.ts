/** `oauth4webapi`, a client that we did not write, from the metadata to the revocation. */
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Person } from "../../github/person.ts";
import { SMALL_WORLD } from "../../github/worlds.ts";
import { type SignInStage, startStage } from "../worker.ts";

const REDIRECT = "http://127.0.0.1:49152/callback";
const insecure = { [oauth.allowInsecureRequests]: true };

let stage: SignInStage;
beforeAll(async () => {
  stage = await startStage(SMALL_WORLD);
}, 120_000);
afterAll(() => stage?.close(), 30_000);

it("discovers, registers, signs in with PKCE, calls, refreshes and revokes", async () => {
  const resource = new URL(`${stage.url}/mcp`);
  const unauthorized = await fetch(resource, { method: "POST" });
  expect(unauthorized.status).toBe(401);
  expect(unauthorized.headers.get("www-authenticate")).toContain("resource_metadata=");

  const protectedResource = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, insecure),
  );
  const issuer = new URL(protectedResource.authorization_servers![0]!);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
  );
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [REDIRECT], client_name: "oauth4webapi", token_endpoint_auth_method: "none" },
      insecure,
    ),
  );

  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const link = new URL(server.authorization_endpoint!);
  link.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: "events:read events:write",
    state,
    resource: resource.href,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }).toString();
  const { url } = await new Person("mona", (at) => at.port === "49152").signIn(link);

  // Also checks `iss` (RFC 9207).
  const parameters = oauth.validateAuthResponse(server, client, url, state);
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, REDIRECT, verifier, {
      additionalParameters: { resource: resource.href },
      ...insecure,
    }),
  );
  expect(tokens.scope).toBe("events:read events:write");
  const status = (token: string) =>
    oauth
      .protectedResourceRequest(
        token,
        "GET",
        new URL(`${stage.url}/api/pending-status`),
        undefined,
        undefined,
        insecure,
      )
      .then(({ status }) => status);
  expect(await status(tokens.access_token)).toBe(200);

  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, insecure),
  );
  expect(refreshed.access_token).not.toBe(tokens.access_token);
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  expect(await status(refreshed.access_token)).toBe(200);

  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token!, insecure),
  );
  // A bearer check may be remembered for five seconds.
  const challenge = () => expect(status(refreshed.access_token)).rejects.toThrow(oauth.WWWAuthenticateChallengeError);
  await vi.waitFor(challenge, { timeout: 6_000, interval: 500 });
  const again = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshed.refresh_token!, insecure);
  await expect(oauth.processRefreshTokenResponse(server, client, again)).rejects.toThrow(
    expect.objectContaining({ error: "invalid_grant" }),
  );
}, 60_000);
