/**
 * What each viewer has before them, held in memory: counts by repository and type, and between which seqs a
 * repository's pending events can lie. It is read from the counters once and then kept in step with every insert and
 * mark, so that a list reads little more than the rows it returns. Lost with the object's memory, and rebuilt.
 */
import type { StoreViewer } from "../viewer.ts";
import type { AccessSet, AccessSets } from "./access.ts";
import type { Counters } from "./counters.ts";
import type { LogRow } from "./event-log.ts";

export interface TypeState {
  total: number;
  pending: number;
  lastSeq: number;
}

export interface RepoState {
  types: Map<string, TypeState>;
  /** Full name as the newest event gives it. */
  name: string | null;
  nameSeq: number;
  /** No pending event has a seq above this … */
  newest: number;
  /** … or below this. */
  oldest: number;
}

/** A viewer's repositories that have events. */
export interface ViewerState {
  userId: number;
  access: AccessSet;
  repos: Map<number, RepoState>;
}

/** Viewers held at once; each costs about as much as their repositories × types. */
const CACHED_VIEWERS = 32;

export class PendingCache {
  readonly #counters: Counters;
  readonly #access: AccessSets;
  readonly #viewers = new Map<string, ViewerState>();

  constructor(counters: Counters, access: AccessSets) {
    this.#counters = counters;
    this.#access = access;
  }

  of(viewer: StoreViewer): ViewerState {
    const key = `${viewer.userId} ${viewer.version}`;
    const state = this.#viewers.get(key) ?? this.#read(viewer);
    this.#viewers.delete(key);
    this.#viewers.set(key, state);
    if (this.#viewers.size > CACHED_VIEWERS) this.#viewers.delete(this.#viewers.keys().next().value!);
    return state;
  }

  added(event: LogRow, name: string | null): void {
    for (const { access, repos } of this.#viewers.values()) {
      if (!access.sees(event.repo)) continue;
      const repo = repos.get(event.repo) ?? newRepo(event.seq);
      repos.set(event.repo, repo);
      const type = repo.types.get(event.type) ?? { total: 0, pending: 0, lastSeq: 0 };
      repo.types.set(event.type, { total: type.total + 1, pending: type.pending + 1, lastSeq: event.seq });
      repo.newest = event.seq;
      if (name !== null) {
        repo.name = name;
        repo.nameSeq = event.seq;
      }
    }
  }

  processed(userId: number, repo: number, type: string, n: number): void {
    for (const state of this.#viewers.values()) {
      if (state.userId !== userId) continue;
      const count = state.repos.get(repo)?.types.get(type);
      if (count) count.pending -= n;
    }
  }

  /** Forgets everything: events were removed, or a transaction rolled back. */
  clear(): void {
    this.#viewers.clear();
  }

  #read(viewer: StoreViewer): ViewerState {
    const access = this.#access.of(viewer);
    const repos = new Map<number, RepoState>();
    for (const row of this.#counters.read(viewer.userId, access.visible)) {
      const repo = repos.get(row.repo) ?? newRepo(1);
      repos.set(row.repo, repo);
      repo.types.set(row.type, { total: row.total, pending: row.pending, lastSeq: row.last_seq });
      repo.newest = Math.max(repo.newest, row.last_seq);
      if (row.name !== null && row.last_seq > repo.nameSeq) {
        repo.name = row.name;
        repo.nameSeq = row.last_seq;
      }
    }
    return { userId: viewer.userId, access, repos };
  }
}

function newRepo(oldest: number): RepoState {
  return { types: new Map(), name: null, nameSeq: 0, newest: 0, oldest };
}

/**
 * The repository that holds a name now: of those that ever had it among the viewer's, the one heard of last. Two
 * repositories that had one name are never mixed: the id decides.
 */
export function repositoryNamed(state: ViewerState, name: string): number | null {
  const wanted = name.toLowerCase();
  let found: number | null = null;
  let foundSeq = -1;
  for (const [id, repo] of state.repos) {
    if (repo.name?.toLowerCase() === wanted && repo.nameSeq > foundSeq) {
      found = id;
      foundSeq = repo.nameSeq;
    }
  }
  return found;
}
