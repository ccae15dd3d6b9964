/**
 * The consent page, and local mode's sign-in page, which is the same with another button: who asks, where the answer
 * goes, and what it opens.
 */
import { html } from "hono/html";
import { type Html, page } from "./page.ts";

export interface ConsentView {
  clientName: string;
  /** Who vouches for the name: the host of a metadata document; null = nobody. */
  vouchedBy: string | null;
  receiver:
    | { kind: "redirect"; host: string }
    /** A program that polls, and shows this code. `elsewhere`: it polled from another address than this browser's. */
    | { kind: "poll"; shortCode: string; elsewhere: boolean };
  scopes: readonly string[];
  /** The hidden field that names the visit. */
  transaction: string;
  /** Local mode: no GitHub comes after this. */
  local: boolean;
  githubHost: string;
}

const SCOPE_TEXTS: Readonly<Record<string, string>> = {
  "events:read": "Read the GitHub events of your account and of the repositories that you can see",
  "events:write": "Mark those events as processed, for you",
  "code:read": "Search the code of the repositories that you can see",
};

/** The page with its one form. No `form-action`: the answer redirects to GitHub, and from there to the client. */
export function consentPage(view: ConsentView, headers: Record<string, string>): Response {
  const title = view.local ? `Sign in “${view.clientName}”` : `Let “${view.clientName}” read your GitHub events?`;
  const content = html`${receiver(view)}
<h2>It will be able to</h2>
<ul>${view.scopes.map((scope) => html`<li>${SCOPE_TEXTS[scope] ?? scope}</li>`)}</ul>
<p class="soft">${
    view.local
      ? "This server runs on your own machine in local mode: one viewer, who sees every event in it."
      : `You sign in at ${view.githubHost} next. The program never gets your GitHub token.`
  }</p>
<form method="post" action="/oauth/consent">
<input type="hidden" name="transaction" value="${view.transaction}">
<div class="actions">
<button class="main" name="decision" value="approve">${view.local ? "Sign in" : "Continue to GitHub"}</button>
<button name="decision" value="deny">Cancel</button>
</div>
</form>`;
  return page(title, content, { formAction: null, headers });
}

function receiver({ receiver, clientName, vouchedBy }: ConsentView): Html {
  const name = vouchedBy
    ? html`<p><strong>${clientName}</strong>, as ${vouchedBy} calls itself, asks to sign in.</p>`
    : html`<p>A program that calls itself <strong>${clientName}</strong> asks to sign in. Nobody has checked that name.</p>`;
  if (receiver.kind === "redirect") {
    return html`${name}<p>The answer goes to <strong>${receiver.host}</strong>.</p>`;
  }
  return html`${name}
<p>The answer goes to a program that shows this code:</p>
<p class="code">${receiver.shortCode}</p>
<p class="warning" role="note">Go on only if a program on <strong>your</strong> screen shows the same code. If somebody sent you this
link, cancel: they would get your events.</p>
${receiver.elsewhere ? html`<p class="warning" role="alert">The program is waiting at another network address than this browser. If you did not start it yourself on another machine, cancel.</p>` : ""}`;
}
