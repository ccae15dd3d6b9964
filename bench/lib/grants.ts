/**
 * Grants of one shard: people who signed in through the stand-in GitHub. A poll flow is all in the shard that its state
 * names, so that states are drawn until one names this shard.
 */
import { createHash, randomBytes } from "node:crypto";
import { Person } from "../../test/github/person.ts";
import { shardOfSecret, shardOfText } from "../../worker/src/grants/secrets.ts";
import type { Http } from "./http.ts";

export const SHARD = 0;

const POLL_GRANT = "urn:ietf:params:oauth:grant-type:web_authorization_poll";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

export interface Pair {
  access_token: string;
  refresh_token: string;
}

export interface Grant extends Pair {
  /** Where its client calls from: rate limits count addresses. */
  address: string;
}

export async function registerClient(http: Http): Promise<string> {
  const answer = await http.send({
    method: "POST",
    path: "/oauth/register",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "Bench", grant_types: [POLL_GRANT, "refresh_token"] }),
  });
  if (answer.status !== 201) throw new Error(`register: ${answer.status} ${answer.body}`);
  return (JSON.parse(answer.body) as { client_id: string }).client_id;
}

/** Signs somebody in, and redeems what they approved. */
export async function signIn(http: Http, origin: string, clientId: string, index: number): Promise<Grant> {
  const verifier = randomBytes(32).toString("base64url");
  const state = stateOfShard();
  const link = new URL("/oauth/authorize", origin);
  link.search = new URLSearchParams({
    client_id: clientId,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  await new Person("mona").signIn(link);
  const address = `10.0.${index >> 8}.${index & 255}`;
  const pair = await tokens(http, address, {
    grant_type: POLL_GRANT,
    client_id: clientId,
    state,
    code_verifier: verifier,
  });
  if (shardOfSecret("refresh", pair.refresh_token) !== SHARD) throw new Error("a grant of another shard");
  return { ...pair, address };
}

/** Rotates a grant's newest refresh token, and takes the new pair over. Fails where either token is the old one. */
export async function refresh(http: Http, clientId: string, grant: Grant): Promise<void> {
  const { access_token, refresh_token } = grant;
  const pair = await tokens(http, grant.address, { grant_type: "refresh_token", client_id: clientId, refresh_token });
  if (pair.refresh_token === refresh_token || pair.access_token === access_token) throw new Error("not rotated");
  Object.assign(grant, pair);
}

async function tokens(http: Http, address: string, form: Record<string, string>): Promise<Pair> {
  const answer = await http.send({
    method: "POST",
    path: "/oauth/token",
    headers: { ...FORM, "CF-Connecting-IP": address },
    body: new URLSearchParams(form).toString(),
  });
  if (answer.status !== 200) throw new Error(`${form.grant_type}: ${answer.status} ${answer.body}`);
  const { access_token, refresh_token } = JSON.parse(answer.body) as Pair;
  return { access_token, refresh_token };
}

function stateOfShard(): string {
  for (;;) {
    const state = randomBytes(24).toString("base64url");
    if (shardOfText(state) === SHARD) return state;
  }
}
