/** The page on which people see who can read for them, and end it. */
import { html } from "hono/html";
import { page } from "./page.ts";

export interface GrantView {
  grantId: string;
  clientName: string;
  scopes: readonly string[];
  /** Milliseconds since the epoch. */
  createdAt: number;
  refreshedAt: number;
}

const SCOPE_TEXTS: Readonly<Record<string, string>> = {
  "events:read": "reads events",
  "events:write": "marks events",
  "code:read": "searches code",
};

/** `csrf` goes into each form. */
export function grantsPage(login: string, grants: readonly GrantView[], csrf: string): Response {
  const rows = grants.map(
    (grant) => html`<li class="grant"><div><strong>${grant.clientName}</strong><br>
<span class="soft">${grant.scopes.map((scope) => SCOPE_TEXTS[scope] ?? scope).join(", ")}<br>
since ${minute(grant.createdAt)}<br>
last refreshed ${minute(grant.refreshedAt)}</span></div>
<form method="post" action="/oauth/grants">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="grant" value="${grant.grantId}">
<button aria-label="End the access of ${grant.clientName}">End</button>
</form></li>`,
  );
  const list =
    rows.length > 0
      ? html`<ul class="grants">${rows}</ul>`
      : html`<p>No program can read your events at the moment.</p>`;
  return page(
    "Programs with access",
    html`<p>Signed in as <strong>${login}</strong>. What you end here stops working within seconds.</p>${list}`,
    { formAction: "self" },
  );
}

/** To the minute: by the time of their sign-in people tell two programs of one name apart. */
function minute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
