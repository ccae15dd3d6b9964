/** Answers of the token endpoint that the stand-in does not give. */
import { afterEach, describe, expect, it } from "vitest";
import { type Listener, listen } from "../../../test/github/http.ts";
import { requestUserToken } from "./user-token.ts";

let server: Listener | undefined;
afterEach(() => server?.close());

async function answeredWith(body: string, type: string, status = 200) {
  server = await listen(async () => new Response(body, { status, headers: { "Content-Type": type } }));
  const app = { githubUrl: server.url, clientId: "id", clientSecret: "secret" };
  return requestUserToken(app, { grant_type: "authorization_code", code: "c", redirect_uri: "https://a.example/" });
}

const FORM = "application/x-www-form-urlencoded; charset=utf-8";

describe("the token endpoint", () => {
  it("is understood when it stays with form-encoding, for tokens and for errors", async () => {
    const body =
      "access_token=ghu_1&expires_in=60&refresh_token=ghr_1&refresh_token_expires_in=90&scope=&token_type=bearer";
    const answer = await answeredWith(body, FORM);
    expect(answer).toMatchObject({ outcome: "ok", value: { accessToken: "ghu_1", refreshToken: "ghr_1" } });
    const value = answer.outcome === "ok" ? answer.value : null;
    expect(value!.refreshTokenExpiresAt! - value!.expiresAt!).toBe(30_000);
    await server?.close();

    const failure = await answeredWith(
      "error=bad_verification_code&error_description=The+code+passed+is+incorrect",
      FORM,
    );
    expect(failure).toEqual({ outcome: "refused", reason: "user token: bad_verification_code" });
  });

  it("gives tokens that don't expire, where the App is set so", async () => {
    const answer = await answeredWith('{"access_token":"ghu_1","token_type":"bearer","scope":""}', "application/json");
    expect(answer).toEqual({
      outcome: "ok",
      value: { accessToken: "ghu_1", expiresAt: null, refreshToken: null, refreshTokenExpiresAt: null },
    });
  });

  it("is believed about a bad code whatever the status", async () => {
    const answer = await answeredWith('{"error":"bad_verification_code"}', "application/json", 400);
    expect(answer).toMatchObject({ outcome: "refused" });
  });

  it("is not quoted where its error is no code", async () => {
    const answer = await answeredWith('{"error":"no such code: c\\n"}', "application/json");
    expect(answer).toEqual({
      outcome: "unavailable",
      reason: "user token: an unknown error",
      retryAfterSeconds: null,
    });
  });
});
