/** Checks on what names a repository and a ref, before git sees them. */

import { CodeRagError } from "../errors.ts";

export interface RepositoryUrl {
  /** Normalised and without credentials: shown, stored, and part of the cache key. */
  readonly url: string;
  /** What git connects to; without credentials as well. */
  readonly remote: string;
  /** User and password from the URL, for one request header; never in an argument or a file. */
  readonly authorization: string | undefined;
  /** Last part of the path without `.git`. */
  readonly name: string;
}

export interface UrlPolicy {
  /** Schemes that may be used, without colon. */
  readonly schemes: readonly string[];
  /** Host names that may be used; empty: any. */
  readonly hosts: readonly string[];
}

const KNOWN_SCHEMES = ["https", "http", "ssh", "git", "file"];
const DEFAULT_SCHEMES = ["https", "ssh"];
/** `user@host:path`, as git and its hosts show it. */
const SCP_FORM = /^(?:([A-Za-z0-9_.-]+)@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/|:)([^\s]+)$/;
const UNSAFE = /[\0-\x20\x7f"'`\\<>|;&$(){}*!]/;

/** Whether an argument means a repository elsewhere, rather than a directory here. */
export function looksLikeUrl(argument: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(argument) ? !/^[a-z]:[\\/]/i.test(argument) : /^[\w.-]+@[\w.-]+:/.test(argument);
}

/** The policy that the environment sets: `CODE_RAG_GIT_SCHEMES` and `CODE_RAG_GIT_HOSTS`, separated by commas. */
export function urlPolicy(env: NodeJS.ProcessEnv): UrlPolicy {
  const list = (value: string | undefined) =>
    (value ?? "")
      .split(",")
      .map((item) => item.trim().toLowerCase())
      .filter((item) => item !== "");
  const schemes = list(env.CODE_RAG_GIT_SCHEMES);
  const unknown = schemes.find((scheme) => !KNOWN_SCHEMES.includes(scheme));
  if (unknown)
    throw new CodeRagError("bad_config", `CODE_RAG_GIT_SCHEMES knows ${KNOWN_SCHEMES.join(", ")}; not "${unknown}".`);
  return { schemes: schemes.length > 0 ? schemes : DEFAULT_SCHEMES, hosts: list(env.CODE_RAG_GIT_HOSTS) };
}

/** Parses a repository URL. Throws one line that says what is wrong and shows no credentials. */
export function parseRepositoryUrl(text: string, policy: UrlPolicy): RepositoryUrl {
  if (text.length > 2_000 || text.startsWith("-") || UNSAFE.test(text) || /^[a-z][a-z0-9+.-]*::/i.test(text)) {
    throw bad("it has characters or a form that no repository address needs");
  }
  const scp = text.includes("://") ? null : SCP_FORM.exec(text);
  const url = scp ? parse(`ssh://${scp[1] ? `${scp[1]}@` : ""}${scp[2]}/${scp[3]?.replace(/^\//, "")}`) : parse(text);
  const scheme = url.protocol.slice(0, -1);
  if (!policy.schemes.includes(scheme)) {
    throw bad(
      `the scheme ${scheme} is not allowed (allowed: ${policy.schemes.join(", ")}; CODE_RAG_GIT_SCHEMES sets it)`,
    );
  }
  const host = url.hostname.toLowerCase();
  if (scheme !== "file" && (host === "" || host.startsWith("-"))) throw bad("it has no host");
  if (policy.hosts.length > 0 && !policy.hosts.includes(host))
    throw bad(`the host ${host} is not in CODE_RAG_GIT_HOSTS`);
  if (url.pathname.startsWith("/-")) throw bad("its path begins with -");
  const authorization = scheme === "https" || scheme === "http" ? basicAuthorization(url) : undefined;
  const sshUser = scheme === "ssh" && url.username ? `${url.username}@` : "";
  const path = url.pathname.replace(/\/+$/, "");
  const place = `${host}${url.port ? `:${url.port}` : ""}${path}`;
  return {
    url: `${scheme}://${place.replace(/\.git$/, "")}`,
    remote: `${scheme}://${sshUser}${place}`,
    authorization,
    name: repositoryName(path),
  };
}

/** Checks a branch, tag or commit name by the rules of git-check-ref-format(1). */
export function checkRef(ref: string): string {
  const allowed = /^[A-Za-z0-9_][A-Za-z0-9_./+@-]*$/.test(ref);
  if (
    !allowed ||
    ref.length > 250 ||
    ref.includes("..") ||
    ref.includes("@{") ||
    ref.endsWith(".lock") ||
    ref.endsWith("/")
  ) {
    throw new CodeRagError("bad_url", "The ref is no valid branch, tag or commit name.");
  }
  return ref;
}

function parse(text: string): URL {
  try {
    const url = new URL(text);
    decodeURIComponent(url.pathname);
    return url;
  } catch {
    throw bad("it cannot be parsed");
  }
}

function basicAuthorization(url: URL): string | undefined {
  if (!url.username && !url.password) return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

function repositoryName(path: string): string {
  const last = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)).replace(/\.git$/, "");
  return /^[\w.-]+$/.test(last) ? last : "repository";
}

function bad(why: string): CodeRagError {
  return new CodeRagError("bad_url", `The repository address is refused: ${why}.`);
}
