/** Answers to browsers: redirects, and how a sign-in ended. */
import type { Outcome, TransactionRefusal } from "../grants/sign-ins.ts";
import { messagePage } from "../pages/page.ts";
import { problemPage, type SignInProblem } from "../pages/problems.ts";
import { sessionCookie } from "./cookies.ts";
import { withParameters } from "./redirect-uri.ts";

/** A redirect that nobody caches. */
export function redirect(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 302, headers: { Location: location, "Cache-Control": "no-store", ...headers } });
}

const REFUSALS: Readonly<Record<TransactionRefusal["outcome"], SignInProblem>> = {
  unknown: "unknown-visit",
  "other-browser": "other-browser",
  "not-approved": "not-approved",
};

/** The page for a visit that does not go on. */
export function visitRefused({ outcome }: TransactionRefusal): Response {
  return problemPage(REFUSALS[outcome]);
}

/** Tells a browser how its sign-in ended; the client, where there is one to go back to. */
export function ended(outcome: Outcome, publicUrl: string): Response {
  switch (outcome.to) {
    case "client": {
      const { redirectUri, state } = outcome;
      const answer: Record<string, string> =
        "code" in outcome
          ? { code: outcome.code }
          : { error: outcome.failure.error, error_description: outcome.failure.description };
      return redirect(withParameters(redirectUri, { ...answer, state, iss: publicUrl }));
    }
    case "page":
      if ("failure" in outcome) return failed(outcome.failure.description, outcome.failure.error);
      return messagePage("You are signed in", [
        outcome.login === null
          ? `${outcome.clientName} can now read every event on this server.`
          : `${outcome.clientName} can now read the GitHub events of ${outcome.login}.`,
        "You can close this tab and go back to the program.",
      ]);
    case "grants":
      if ("failure" in outcome) return failed(outcome.failure.description, outcome.failure.error);
      return redirect(`${publicUrl}/oauth/grants`, { "Set-Cookie": sessionCookie(publicUrl, outcome.session) });
    default:
      return outcome satisfies never;
  }
}

function failed(description: string, error: string): Response {
  const status = error === "temporarily_unavailable" ? 503 : 403;
  return messagePage("You are not signed in", [description, "You can close this tab; nothing was given to anyone."], {
    status,
  });
}
