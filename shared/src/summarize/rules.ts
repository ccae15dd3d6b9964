/**
 * The vocabulary in which the tables of this folder say where an event type keeps its number, title, url …
 *
 * A rule is a path into the payload (`issue.html_url`, `pages.0.title`) or a small function made by a helper below.
 * Nothing here throws, whatever the payload is: a member that is missing or oddly typed gives `undefined`.
 */

/** Reads one value out of a payload; `undefined` or `null` where there is none. */
export type Reader = (payload: unknown) => unknown;

/** Where to look: a path, a reader, or several of them, of which the first that has a usable value counts. */
export type Rule = string | Reader | readonly (string | Reader)[];

/** What one event type says about itself, and where. An absent member means that the type has no such thing. */
export interface EventFields {
  number?: Rule;
  title?: Rule;
  /** A page for people; an address of the REST API never stands here. */
  url?: Rule;
  branch?: Rule;
  sha?: Rule;
  /** Outcome of a check, run, job, status, deployment or build. A review's verdict is not one. */
  conclusion?: Rule;
  association?: Rule;
  /** The texts that people (or tools, on behalf of people) wrote: all of these rules count, for search. */
  body?: readonly Rule[];
}

/** One area's rows, by event type. */
export type EventTable = Readonly<Record<string, EventFields>>;

/** The value at a dotted path, through own properties only. */
export function at(value: unknown, path: string): unknown {
  let current = value;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

/** What one path or reader gives. */
function read(payload: unknown, source: string | Reader): unknown {
  return typeof source === "string" ? at(payload, source) : source(payload);
}

/** The first value of a rule that `usable` accepts, else null. */
export function first<T>(payload: unknown, rule: Rule | undefined, usable: (value: unknown) => value is T): T | null {
  if (rule === undefined) return null;
  for (const source of Array.isArray(rule) ? rule : [rule as string | Reader]) {
    const value = read(payload, source);
    if (usable(value)) return value;
  }
  return null;
}

/** A string with something in it: GitHub sends `""` for names and addresses that are not set. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** An id or number as GitHub gives them. */
export function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** The first line of a text that has anything on it. */
export function firstLine(path: string): Reader {
  return (payload) => {
    const text = at(payload, path);
    return typeof text === "string" ? /^.*\S.*$/m.exec(text)?.[0] : undefined;
  };
}

/** The branch that a git ref names: `refs/heads/x` → `x`; a tag, a pull request's ref or a bare SHA names none. */
export function branch(path: string): Reader {
  return (payload) => {
    const ref = at(payload, path);
    if (typeof ref !== "string") return undefined;
    if (ref.startsWith("refs/heads/")) return ref.slice("refs/heads/".length);
    return ref.startsWith("refs/") || /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref) ? undefined : ref;
  };
}

/** A branch's or tag's name without `refs/heads/` or `refs/tags/`. */
export function shortRef(path: string): Reader {
  return (payload) => {
    const ref = at(payload, path);
    return typeof ref === "string" ? ref.replace(/^refs\/(heads|tags)\//, "") : undefined;
  };
}

/** A commit's SHA; the all-zero one, git's word for "no commit", counts as none. */
export function commit(path: string): Reader {
  return (payload) => {
    const sha = at(payload, path);
    return typeof sha === "string" && !/^0+$/.test(sha) ? sha : undefined;
  };
}

/**
 * The pull request that a check or run belongs to. Such lists also name pull requests into other repositories (from
 * a fork to its parent), whose numbers mean something else here: only this repository's count.
 */
export function pullRequestIn(path: string): Reader {
  return (payload) => {
    const pullRequests = at(payload, path);
    const repositoryId = at(payload, "repository.id");
    if (!Array.isArray(pullRequests) || repositoryId === undefined) return undefined;
    return at(
      pullRequests.find((pullRequest) => at(pullRequest, "base.repo.id") === repositoryId),
      "number",
    );
  };
}

/** As much of a list as is worth reading: a push has up to 2,048 commits, and what is made of it is cut to 8,000. */
const LIST_LIMIT = 2_048;

/** One text of each entry of a list, joined. */
export function each(list: string, path: string, separator: string): Reader {
  return (payload) => {
    const entries = at(payload, list);
    if (!Array.isArray(entries)) return undefined;
    const texts = entries.slice(0, LIST_LIMIT).map((entry) => at(entry, path));
    return texts.filter(isText).join(separator);
  };
}

/** Several texts as one, ` / ` between them; those that are missing are left out. */
export function joined(...paths: string[]): Reader {
  return (payload) =>
    paths
      .map((path) => at(payload, path))
      .filter(isText)
      .join(" / ");
}

/**
 * A page below the repository's: `` repositoryPage`/labels/${"label.name"}` ``. Paths are percent-encoded as one
 * segment, readers give text that is encoded already (see {@link refSegments}). No page if any part is missing.
 */
export function repositoryPage(texts: TemplateStringsArray, ...parts: (string | Reader)[]): Reader {
  return (payload) => {
    const base = at(payload, "repository.html_url");
    return isText(base) ? page(payload, base, texts, parts) : undefined;
  };
}

/** A page of the GitHub server that the event came from (github.com, or an Enterprise Server's host). */
export function sitePage(texts: TemplateStringsArray, ...parts: (string | Reader)[]): Reader {
  return (payload) => {
    const known = first(payload, ["repository.html_url", "sender.html_url"], isText);
    const origin = known && /^https?:\/\/[^/]+/i.exec(known)?.[0];
    return origin ? page(payload, origin, texts, parts) : undefined;
  };
}

function page(payload: unknown, base: string, texts: TemplateStringsArray, parts: (string | Reader)[]) {
  let url = base + texts[0];
  for (const [index, part] of parts.entries()) {
    const value = typeof part === "string" ? encoded(at(payload, part)) : part(payload);
    if (!isText(value)) return undefined;
    url += value + texts[index + 1];
  }
  return url;
}

/** A ref's short name for use in a page's address: its slashes stay, everything else is encoded. */
export function refSegments(path: string): Reader {
  const short = shortRef(path);
  return (payload) => {
    const ref = short(payload);
    return typeof ref === "string" ? ref.split("/").map(encoded).join("/") : undefined;
  };
}

function encoded(value: unknown): string | undefined {
  if (isPositiveInteger(value)) return String(value);
  // A lone surrogate makes encodeURIComponent throw.
  return isText(value) ? encodeURIComponent(value.toWellFormed()) : undefined;
}
