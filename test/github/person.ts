/**
 * A person in front of a browser without scripts: follows redirects, keeps cookies for each origin, and presses the
 * buttons of forms. Nothing here knows more of our pages than what stands on them.
 */

export interface SeenPage {
  url: URL;
  status: number;
  text: string;
}

export interface Form {
  method: string;
  action: URL;
  /** Hidden fields and the like. */
  fields: [string, string][];
  buttons: { text: string; field: [string, string] | null }[];
}

const HOPS = 20;

export class Person {
  readonly login: string;
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #stopAt: (url: URL) => boolean;

  /**
   * @param stopAt addresses that are not loaded: where a program waits that is not there, such as `cursor://…`
   */
  constructor(login: string, stopAt: (url: URL) => boolean = () => false) {
    this.login = login;
    this.#stopAt = stopAt;
  }

  /** Signs in from an authorize link: agrees, chooses themself at GitHub, and comes back. */
  async signIn(link: string | URL): Promise<SeenPage> {
    const consent = await this.open(link);
    const github = await this.press(consent, /continue|sign in/i);
    return this.chooseAccount(github);
  }

  /** Chooses themself on GitHub's page. */
  chooseAccount(github: SeenPage): Promise<SeenPage> {
    const form = formsOf(github).find(({ fields }) => fields.some(([, value]) => value === this.login));
    if (!form) throw new Error(`no ${this.login} to choose at ${github.url} (${github.status}): ${summary(github)}`);
    return this.submit(form, form.buttons[0]?.field ?? null);
  }

  /** Presses the button with that text. */
  press(page: SeenPage, button: RegExp): Promise<SeenPage> {
    for (const form of formsOf(page)) {
      const found = form.buttons.find(({ text }) => button.test(text));
      if (found) return this.submit(form, found.field);
    }
    throw new Error(`no button ${button} at ${page.url} (${page.status}): ${summary(page)}`);
  }

  submit(form: Form, button: [string, string] | null): Promise<SeenPage> {
    const body = new URLSearchParams([...form.fields, ...(button ? [button] : [])]);
    return this.#load(form.action, form.method === "post" ? body : null, form.action.origin);
  }

  /** Opens a link, and follows where it leads. */
  open(link: string | URL): Promise<SeenPage> {
    return this.#load(new URL(link), null, null);
  }

  async #load(start: URL, form: URLSearchParams | null, origin: string | null): Promise<SeenPage> {
    let url = start;
    let body = form;
    for (let hop = 0; hop < HOPS; hop++) {
      if (this.#stopAt(url)) return { url, status: 0, text: "" };
      const headers = new Headers({ Accept: "text/html", Cookie: this.#cookieHeader(url) });
      if (body && origin) headers.set("Origin", origin);
      const answer = await fetch(url, { method: body ? "POST" : "GET", headers, body, redirect: "manual" });
      this.#keep(url, answer.headers.getSetCookie());
      const location = answer.headers.get("location");
      if (answer.status < 300 || answer.status >= 400 || location === null) {
        return { url, status: answer.status, text: await answer.text() };
      }
      await answer.body?.cancel();
      url = new URL(location, url);
      // 302 and 303 turn a POST into a GET; 307 and 308 do not.
      if (answer.status < 307) body = null;
    }
    throw new Error(`more than ${HOPS} redirects from ${start.origin}`);
  }

  #cookieHeader(url: URL): string {
    return [...(this.#cookies.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(url: URL, cookies: string[]): void {
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    for (const cookie of cookies) {
      const [pair = "", ...attributes] = cookie.split(/;\s*/);
      const name = pair.slice(0, pair.indexOf("="));
      if (attributes.some((one) => /^max-age=(0|-\d+)$/i.test(one))) jar.delete(name);
      else jar.set(name, pair.slice(name.length + 1));
    }
  }
}

/** The forms of a page, with what a browser would send. */
export function formsOf({ url, text }: SeenPage): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(([, attributes = "", content = ""]) => ({
    method: (attribute(attributes, "method") ?? "get").toLowerCase(),
    action: new URL(attribute(attributes, "action") ?? "", url),
    fields: [...content.matchAll(/<input\b([^>]*)>/gi)].flatMap(([, input = ""]): [string, string][] => {
      const name = attribute(input, "name");
      return name === null ? [] : [[name, attribute(input, "value") ?? ""]];
    }),
    buttons: [...content.matchAll(/<button\b([^>]*)>(.*?)<\/button>/gis)].map(([, button = "", label = ""]) => {
      const name = attribute(button, "name");
      const field: [string, string] | null = name === null ? null : [name, attribute(button, "value") ?? ""];
      return { text: unescapeHtml(label.replace(/<[^>]*>/g, " ")).trim(), field };
    }),
  }));
}

function attribute(tag: string, name: string): string | null {
  const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i").exec(tag) ?? [];
  const value = double ?? single;
  return value === undefined ? null : unescapeHtml(value);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeHtml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name] ?? whole;
  });
}

function summary({ text }: SeenPage): string {
  return text
    .replace(/<(style|head)\b.*?<\/\1>/gis, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 200);
}
