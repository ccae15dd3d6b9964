/**
 * The frame of every page that people see: one stylesheet, light and dark, no script, nothing from elsewhere.
 *
 * The stylesheet stands in the page and is allowed by its hash; the policy allows nothing else. Where a form's answer
 * is a redirect out of the site (consent), `form-action` would apply to each hop of it and must be left out:
 * https://www.w3.org/TR/CSP3/#form-action-pre-navigate.
 */
import { createHash } from "node:crypto";
import { html, raw } from "hono/html";

/** What goes into a page: escaped, whatever stands in it. */
export type Html = ReturnType<typeof html>;

const STYLE = `
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --ground: #f6f8fa; --card: #fff; --line: #d1d9e0;
  --edge: #818b98; --accent: #0757b8; --on-accent: #fff; --warn: #7d4e00; --warn-ground: #fff8c5; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f6fc; --soft: #9198a1; --ground: #0d1117; --card: #151b23;
  --line: #3d444d; --edge: #6e7681; --accent: #79b8ff; --on-accent: #0d1117; --warn: #f2cc60; --warn-ground: #2e2711; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 8vh auto; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.3; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
main > :last-child { margin-bottom: 0; }
ul { padding-left: 1.25rem; }
.soft { color: var(--soft); }
.code { font: 600 2rem/1.2 ui-monospace, monospace; letter-spacing: .1em; text-align: center; margin: 1rem 0; }
.warning { background: var(--warn-ground); color: var(--warn); border: 1px solid currentColor; border-radius: 8px;
  padding: .75rem 1rem; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button { font: inherit; padding: .6rem 1.2rem; border-radius: 8px; border: 1px solid var(--edge); background: none;
  color: inherit; cursor: pointer; min-height: 2.75rem; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
li.grant { display: flex; gap: 1rem; align-items: center; justify-content: space-between; padding: .75rem 0;
  border-top: 1px solid var(--line); }
li.grant form { flex: none; }
ul.grants { list-style: none; padding: 0; }
@media (max-width: 36rem) {
  main { margin: 0; border: 0; border-radius: 0; min-height: 100vh; padding: 1.25rem; }
  .actions button { flex: auto; }
}
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`;

export interface PageOptions {
  status?: number;
  /** Where the page's forms may lead; null = anywhere (see above). Pages without a form leave it out. */
  formAction?: "self" | null;
  headers?: Record<string, string>;
}

/** A whole page as an answer. */
export function page(title: string, content: Html | Html[], options: PageOptions = {}): Response {
  const { status = 200, formAction, headers } = options;
  const forms = formAction === null ? "" : `; form-action ${formAction === "self" ? "'self'" : "'none'"}`;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · GitHub webhooks</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>`;
  return new Response(String(document), {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": POLICY + forms,
      "Cache-Control": "no-store",
      ...headers,
    },
  });
}

/** A page that says one thing, in paragraphs. */
export function messagePage(title: string, paragraphs: readonly (string | Html)[], options?: PageOptions): Response {
  return page(
    title,
    paragraphs.map((text) => html`<p>${text}</p>`),
    options,
  );
}
