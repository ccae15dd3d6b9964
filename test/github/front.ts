/**
 * The front of the stand-in: answers what emulate lacks, puts right what it does otherwise than GitHub, and hands
 * everything else on to it.
 */
import { installationPayload, repositoryPayload, userPayload } from "./changes.ts";
import type { Faults } from "./faults.ts";
import type { AppSettings, UserTokens } from "./user-tokens.ts";
import type { World } from "./world.ts";

export interface FrontParts {
  world: World;
  tokens: UserTokens;
  faults: Faults;
  app: AppSettings;
  /** Of emulate, without a trailing slash. */
  upstream: string;
}

export interface SeenRequest {
  method: string;
  path: string;
}

const BAD_CREDENTIALS = { message: "Bad credentials", documentation_url: "https://docs.github.com/rest" };
const CANCEL = "/login/oauth/cancel";

export class Front {
  /** Every request but those of the control interface, oldest first. */
  readonly seen: SeenRequest[] = [];
  /** Requests that were under way at once, at most. */
  mostAtOnce = 0;
  #underWay = 0;
  readonly #parts: FrontParts;

  constructor(parts: FrontParts) {
    this.#parts = parts;
  }

  /** null = the connection is cut. */
  async handle(request: Request): Promise<Response | null> {
    const url = new URL(request.url);
    // GitHub Enterprise Server has its API below /api/v3.
    const path = url.pathname.replace(/^\/api\/v3(?=\/)/, "");
    this.seen.push({ method: request.method, path: path + url.search });
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    try {
      const faulty = await this.#parts.faults.answer(path);
      return faulty === undefined ? await this.#answer(request, url, path) : faulty;
    } finally {
      this.#underWay--;
    }
  }

  async #answer(request: Request, url: URL, path: string): Promise<Response> {
    if (path === "/user" || path.startsWith("/user/")) return this.#user(request, url, path);
    const { tokens } = this.#parts;
    switch (`${request.method} ${path}`) {
      case "GET /login/oauth/authorize":
        return this.#authorize(request, url);
      case `POST ${CANCEL}`:
        return cancel(await request.formData());
      case "POST /login/oauth/access_token":
        return tokens.exchange(request);
      case "POST /login/oauth/callback": {
        const answer = await this.#upstream(request, url, path);
        const location = answer.headers.get("location");
        if (location) tokens.noteCode(location);
        return answer;
      }
      default:
        return this.#upstream(request, url, path);
    }
  }

  #user(request: Request, url: URL, path: string): Response | Promise<Response> {
    const { world, tokens } = this.#parts;
    const login = tokens.owner(request);
    if (login === null) return Response.json(BAD_CREDENTIALS, { status: 401 });
    if (path === "/user") return Response.json({ ...userPayload(world.account(login)), name: login });
    if (path === "/user/installations") {
      const { items, headers, total } = page(url, world.installationsOf(login));
      return Response.json({ total_count: total, installations: items.map(installationPayload) }, { headers });
    }
    if (path === "/user/memberships/orgs") return this.#memberships(url, login);
    const [, id] = /^\/user\/installations\/(\d+)\/repositories$/.exec(path) ?? [];
    if (id === undefined) return this.#upstream(request, url, path);

    const installation = world.installationsOf(login).find((one) => one.id === Number(id));
    if (!installation) return Response.json({ message: "Not Found" }, { status: 404 });
    if (installation.suspendedAt) {
      return Response.json({ message: "This installation has been suspended" }, { status: 403 });
    }
    const { items, headers, total } = page(url, world.repositoriesOf(login, installation));
    return Response.json({ total_count: total, repositories: items.map(repositoryPayload) }, { headers });
  }

  #memberships(url: URL, login: string): Response {
    const { world } = this.#parts;
    const memberships = [...world.organizations].flatMap(([name, { owners, members }]) => {
      const role = owners.has(login) ? "admin" : members.has(login) ? "member" : null;
      return role ? [{ state: "active", role, organization: { id: world.account(name).id, login: name } }] : [];
    });
    const { items, headers } = page(url, memberships);
    return Response.json(items, { headers });
  }

  /** GitHub goes on at once for who has authorized the App before, unless the account is to be chosen. */
  async #authorize(request: Request, url: URL): Promise<Response> {
    const [, session] = /(?:^|;\s*)stand_in_user=([^;]+)/.exec(request.headers.get("cookie") ?? "") ?? [];
    const { client_id = "", redirect_uri = "", state = "", prompt } = Object.fromEntries(url.searchParams);
    if (session && prompt !== "select_account" && this.#parts.world.accounts.has(session)) {
      const form = new URLSearchParams({ login: session, client_id, redirect_uri, state });
      const signIn = new Request(new URL("/login/oauth/callback", url), { method: "POST", body: form });
      return this.#answer(signIn, new URL(signIn.url), "/login/oauth/callback");
    }
    const answer = await this.#upstream(request, url, url.pathname);
    if (answer.status !== 200) return answer;
    const fields = [
      ["redirect_uri", redirect_uri],
      ["state", state],
    ].map(([name, value = ""]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`);
    const form = `<form method="post" action="${CANCEL}">${fields.join("")}<button>Cancel</button></form>`;
    return new Response((await answer.text()).replace("</body>", `${form}</body>`), { headers: answer.headers });
  }

  async #upstream(request: Request, url: URL, path: string): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.delete("host");
    headers.delete("content-length");
    const sent = request.method === "GET" || request.method === "HEAD" ? null : await request.text();
    const target = this.#parts.upstream + path + url.search;
    const answer = await fetch(target, { method: request.method, headers, body: sent, redirect: "manual" });
    const kept = new Headers(answer.headers);
    for (const name of ["content-encoding", "content-length", "transfer-encoding", "connection"]) kept.delete(name);
    const signedIn = sent === null ? null : new URLSearchParams(sent).get("login");
    if (path === "/login/oauth/callback" && signedIn) {
      kept.append("set-cookie", `stand_in_user=${signedIn}; Path=/; HttpOnly; SameSite=Lax`);
    }
    return new Response(await answer.arrayBuffer(), { status: answer.status, headers: kept });
  }
}

/** What GitHub does when the person says no. */
function cancel(form: FormData): Response {
  const location = new URL(String(form.get("redirect_uri")));
  location.searchParams.set("error", "access_denied");
  location.searchParams.set("error_description", "The user has denied your application access.");
  location.searchParams.set("state", String(form.get("state")));
  return Response.redirect(location.href, 302);
}

function page<T>(url: URL, all: T[]): { items: T[]; headers: Record<string, string>; total: number } {
  const number = (name: string, fallback: number) => Number(url.searchParams.get(name) ?? fallback);
  // GitHub gives 100 at most, whatever is asked for.
  const size = Math.min(number("per_page", 30), 100);
  const at = number("page", 1);
  const last = Math.max(Math.ceil(all.length / size), 1);
  const link = new URL(url);
  link.searchParams.set("page", String(at + 1));
  const headers: Record<string, string> = at < last ? { Link: `<${link}>; rel="next"` } : {};
  return { items: all.slice((at - 1) * size, at * size), headers, total: all.length };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
