/**
 * What a viewer may see, as SQL.
 *
 * A set of repositories is named by its version (equal sets, equal versions: viewer.ts), and kept here under that
 * name for as long as a cursor may carry it. So a cursor need only hold the version, and what has become visible
 * since is the difference of two sets.
 */
import type { StoreViewer } from "../viewer.ts";

/** A condition on the column `repo`, with its parameters. */
export interface RepoClause {
  clause: string;
  params: readonly string[];
}

/** A set of repositories, ready for SQL and for single look-ups. */
export interface AccessSet {
  visible: RepoClause;
  sees(repo: number): boolean;
}

const EVERYTHING: AccessSet = { visible: { clause: "1", params: [] }, sees: () => true };
const NOTHING: ReadonlySet<number> = new Set();

/** How long an unused version is kept: longer than any event. */
const KEEP_MS = 180 * 24 * 3600_000;
const DAY_MS = 24 * 3600_000;
/** Sets held in memory. */
const CACHED = 64;
/** Versions known to be written down already. */
const REMEMBERED = 1_000;

export class AccessSets {
  readonly #sql: SqlStorage;
  readonly #cache = new Map<string, ReadonlySet<number>>();
  /** The day under which each version was last written down by this instance. */
  readonly #remembered = new Map<string, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The condition that every read of this viewer carries. */
  of(viewer: StoreViewer): AccessSet {
    if (viewer.repositories === "all") return EVERYTHING;
    const ids = this.#cached(viewer.version) ?? this.#keep(viewer.version, new Set(viewer.repositories));
    return inSet(ids);
  }

  /** The set that a version names: what a hibernated socket still knows of its viewer. Nothing, for an unknown one. */
  ofVersion(version: string): AccessSet {
    return version === "all" ? EVERYTHING : inSet(this.#load(version));
  }

  /** Keeps the viewer's set for the cursors that an answer carries. One row a day at most. */
  remember(viewer: StoreViewer, now: number): void {
    if (viewer.repositories === "all") return;
    const day = Math.floor(now / DAY_MS) * DAY_MS;
    if (this.#remembered.get(viewer.version) === day) return;
    this.#sql.exec(
      "INSERT INTO access (version, repositories, used) VALUES (?, ?, ?) ON CONFLICT (version) DO UPDATE SET used = excluded.used",
      viewer.version,
      JSON.stringify(viewer.repositories),
      day,
    );
    if (this.#remembered.size >= REMEMBERED) this.#remembered.clear();
    this.#remembered.set(viewer.version, day);
  }

  /** Repositories in the set `to` that were not in the set `from`; null if there can be none. */
  grown(from: string, to: string): ((repo: number) => boolean) | null {
    if (from === to || from === "all") return null;
    const before = this.#load(from);
    const after = this.ofVersion(to);
    return (repo) => after.sees(repo) && !before.has(repo);
  }

  /** Forgets versions that no living cursor carries. */
  sweep(now: number): void {
    this.#sql.exec("DELETE FROM access WHERE used < ?", now - KEEP_MS);
    this.#remembered.clear();
  }

  #load(version: string): ReadonlySet<number> {
    const cached = this.#cached(version);
    if (cached) return cached;
    const row = this.#sql
      .exec<{ repositories: string }>("SELECT repositories FROM access WHERE version = ?", version)
      .toArray()[0];
    return row ? this.#keep(version, new Set(JSON.parse(row.repositories) as number[])) : NOTHING;
  }

  #cached(version: string): ReadonlySet<number> | undefined {
    const ids = this.#cache.get(version);
    if (ids) {
      this.#cache.delete(version);
      this.#cache.set(version, ids);
    }
    return ids;
  }

  #keep(version: string, ids: ReadonlySet<number>): ReadonlySet<number> {
    this.#cache.set(version, ids);
    if (this.#cache.size > CACHED) this.#cache.delete(this.#cache.keys().next().value!);
    return ids;
  }
}

function inSet(ids: ReadonlySet<number>): AccessSet {
  return {
    // One parameter whatever the number of repositories: a statement takes 100 (Cloudflare's limit).
    visible: { clause: "repo IN (SELECT value FROM json_each(?))", params: [`[${[...ids].join()}]`] },
    sees: (repo) => ids.has(repo),
  };
}
