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

/** `csrf` goes into each form. */
export function grantsPage(login: string, grants: readonly GrantView[], csrf: string): Response {
  const rows = grants.map(
    (grant) => html`<li class="grant"><div><strong>${grant.clientName}</strong><br>
<span class="soft">${grant.scopes.join(", ")} · since ${day(grant.createdAt)}, last refreshed ${day(grant.refreshedAt)}</span></div>
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

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
