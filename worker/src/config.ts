/**
 * The Worker's configuration, read from the environment once and typed from there on.
 *
 * Unset (or empty) variables have their documented default. A value that can't be understood is an error that names
 * the variable and never shows the value, not a silent default; the two retention days are the exception, which users
 * of the existing service depend on.
 */
import { z } from "zod";
import { type IpRange, isLoopbackHost, parseRange } from "./ip-range.ts";

/** Who may post webhooks: GitHub's own hook ranges, anyone, or a list of ranges (GHES). */
export type IpAllowlist = { mode: "github" } | { mode: "off" } | { mode: "ranges"; ranges: readonly IpRange[] };

export interface Config {
  /** Origin under which clients reach the Worker, without a trailing slash. */
  publicUrl: string;
  /** Without a trailing slash. */
  githubUrl: string;
  /** Without a trailing slash. */
  githubApiUrl: string;
  /** Host of {@link githubUrl}, for people to read. */
  githubHost: string;
  githubAppId: number | null;
  /** PEM. */
  githubAppPrivateKey: string | null;
  githubClientId: string | null;
  githubClientSecret: string | null;
  /** The secret in force, then the previous one during a rotation. Empty: signatures are not checked. */
  webhookSecrets: readonly string[];
  ipAllowlist: IpAllowlist;
  /** Requests a minute for each address and isolate; 0 = off. */
  webhookRatePerMinute: number;
  /** Deliveries an hour for each account; 0 = off. */
  tenantQuotaPerHour: number;
  /** Days that an event is kept once every active viewer has processed it; 0 = until the next sweep. */
  purgeAfterDays: number;
  /** Days that any event is kept. */
  unprocessedPurgeAfterDays: number;
  maxStoreBytes: number;
  /** Seconds that a user's access, once read from GitHub, serves refreshes before it is read anew. */
  accessRecheckSeconds: number;
  /** GitHub user ids that read the operator's store. */
  operatorIds: ReadonlySet<number>;
  /** `LOCAL_MODE=1` without a GitHub App. Ask {@link localMode}, which also looks at the request's host. */
  localModeAsked: boolean;
  /** Bearer token of local mode's one viewer; null in a deployed Worker, whatever the environment says. */
  localToken: string | null;
}

export type ConfigResult = { ok: true; config: Config } | { ok: false; errors: string[] };

/** A variable as text; unset and empty are the same, as `NAME = ""` in wrangler.toml is meant. */
const text = z
  .union([z.string(), z.number().transform(String)], { error: "must be a string" })
  .optional()
  .transform((value) => (value === "" ? undefined : value));

type Parsed<T> = { value: T } | { problem: string };

/** A variable that `parse` understands, or `fallback` where it is unset. */
function variable<T>(fallback: T, parse: (value: string) => NoInfer<Parsed<T>>) {
  return text.transform((value, context): T => {
    const parsed = value === undefined ? { value: fallback } : parse(value.trim());
    if ("value" in parsed) return parsed.value;
    context.addIssue(parsed.problem);
    return z.NEVER;
  });
}

const secret = text.transform((value) => value ?? null);

const count = (fallback: number, least = 0, most = Number.MAX_SAFE_INTEGER) =>
  variable(fallback, (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return { value: number };
    const limit = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    return { problem: `must be a whole number ${limit}` };
  });

const days = (fallback: number) =>
  text.transform((value) => {
    const number = value === undefined || value.trim() === "" ? Number.NaN : Number(value);
    return Number.isFinite(number) && number >= 0 ? number : fallback;
  });

function httpUrl(value: string): URL | null {
  const url = URL.parse(value);
  const usable =
    url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password;
  return usable ? url : null;
}

const baseUrl = (fallback: string) =>
  variable(fallback, (value) => {
    const url = httpUrl(value);
    return url ? { value: url.href.replace(/\/+$/, "") } : { problem: "must be an http or https URL" };
  });

const publicUrl = variable<string | null>(null, (value) => {
  const url = httpUrl(value);
  if (url === null || url.pathname !== "/") return { problem: "must be an origin, such as https://example.com" };
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) return { problem: "must start with https://" };
  return { value: url.origin };
}).transform((value, context) => {
  if (value !== null) return value;
  context.addIssue("must be set to the origin under which clients reach this Worker");
  return z.NEVER;
});

const appId = variable<number | null>(null, (value) =>
  /^[1-9]\d{0,14}$/.test(value) ? { value: Number(value) } : { problem: "must be the App's numeric id" },
);

const privateKey = variable<string | null>(null, (value) => {
  // A PEM on one line, as .env files carry it.
  const pem = value.replaceAll("\\n", "\n");
  return /^-----BEGIN (RSA )?PRIVATE KEY-----\s[\w+/=\s]+-----END (RSA )?PRIVATE KEY-----$/.test(pem)
    ? { value: pem }
    : { problem: "must be a private key in PEM form" };
});

const ipAllowlist = variable<IpAllowlist>({ mode: "github" }, (value) => {
  if (value === "github" || value === "off") return { value: { mode: value } };
  const ranges = list(value).map(parseRange);
  return ranges.every((range) => range !== null)
    ? { value: { mode: "ranges", ranges } }
    : { problem: 'must be "github", "off" or a comma list of CIDR ranges' };
});

const operatorIds = variable<ReadonlySet<number>>(new Set(), (value) => {
  const ids = list(value);
  return ids.every((id) => /^[1-9]\d{0,14}$/.test(id))
    ? { value: new Set(ids.map(Number)) }
    : { problem: "must be a comma list of numeric GitHub user ids" };
});

const flag = variable<boolean>(false, (value) =>
  value === "1" || value === "0" ? { value: value === "1" } : { problem: 'must be "1" or "0"' },
);

/** The items of a comma list without surrounding space; an empty item stays, to be refused. */
function list(value: string): string[] {
  return value.split(",").map((item) => item.trim());
}

const environment = z
  .object({
    PUBLIC_URL: publicUrl,
    GITHUB_URL: baseUrl("https://github.com"),
    GITHUB_API_URL: baseUrl("https://api.github.com"),
    GITHUB_APP_ID: appId,
    GITHUB_APP_PRIVATE_KEY: privateKey,
    GITHUB_CLIENT_ID: secret,
    GITHUB_CLIENT_SECRET: secret,
    GITHUB_WEBHOOK_SECRET: secret,
    GITHUB_WEBHOOK_SECRET_PREVIOUS: secret,
    WEBHOOK_IP_ALLOWLIST: ipAllowlist,
    WEBHOOK_RATE_PER_MINUTE: count(5_000),
    TENANT_QUOTA_PER_HOUR: count(10_000),
    PURGE_AFTER_DAYS: days(3),
    UNPROCESSED_PURGE_AFTER_DAYS: days(90),
    MAX_STORE_BYTES: count(5_000_000_000, 1),
    // More than the lifetime of an access token would be no check at all.
    ACCESS_RECHECK_SECONDS: count(300, 0, 3_600),
    OPERATOR_IDS: operatorIds,
    LOCAL_MODE: flag,
    LOCAL_TOKEN: secret,
  })
  // The old secret alone would say "signature on" and refuse all that GitHub sends.
  .refine((env) => env.GITHUB_WEBHOOK_SECRET_PREVIOUS === null || env.GITHUB_WEBHOOK_SECRET !== null, {
    path: ["GITHUB_WEBHOOK_SECRET_PREVIOUS"],
    error: "must not be set without GITHUB_WEBHOOK_SECRET",
  });

const known = new WeakMap<object, ConfigResult>();

/** Reads and checks the configuration. The answer is kept for each `env` object, so that asking again costs nothing. */
export function readConfig(env: object): ConfigResult {
  let result = known.get(env);
  if (result === undefined) {
    result = parse(env);
    known.set(env, result);
  }
  return result;
}

function parse(env: object): ConfigResult {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    return { ok: false, errors: parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`) };
  }
  const { data } = parsed;
  const localModeAsked = data.LOCAL_MODE && data.GITHUB_CLIENT_ID === null;
  const config: Config = {
    publicUrl: data.PUBLIC_URL,
    githubUrl: data.GITHUB_URL,
    githubApiUrl: data.GITHUB_API_URL,
    githubHost: new URL(data.GITHUB_URL).host,
    githubAppId: data.GITHUB_APP_ID,
    githubAppPrivateKey: data.GITHUB_APP_PRIVATE_KEY,
    githubClientId: data.GITHUB_CLIENT_ID,
    githubClientSecret: data.GITHUB_CLIENT_SECRET,
    webhookSecrets: [data.GITHUB_WEBHOOK_SECRET, data.GITHUB_WEBHOOK_SECRET_PREVIOUS].filter((key) => key !== null),
    ipAllowlist: data.WEBHOOK_IP_ALLOWLIST,
    webhookRatePerMinute: data.WEBHOOK_RATE_PER_MINUTE,
    tenantQuotaPerHour: data.TENANT_QUOTA_PER_HOUR,
    purgeAfterDays: data.PURGE_AFTER_DAYS,
    unprocessedPurgeAfterDays: data.UNPROCESSED_PURGE_AFTER_DAYS,
    maxStoreBytes: data.MAX_STORE_BYTES,
    accessRecheckSeconds: data.ACCESS_RECHECK_SECONDS,
    operatorIds: data.OPERATOR_IDS,
    localModeAsked,
    localToken: localModeAsked ? data.LOCAL_TOKEN : null,
  };
  return { ok: true, config };
}

/**
 * Whether a request is served in local mode: asked for by the start script, no GitHub App configured, and the Worker
 * reached under a loopback name, which a deployed one never is.
 */
export function localMode(config: Config, url: URL): boolean {
  return config.localModeAsked && isLoopbackHost(url.hostname);
}
