/**
 * The Worker's lists of tools, prompts and resources: the last ones known answer at once, the Worker is asked in the
 * background, and the client hears of it where it was told otherwise.
 */
import type { StateFile, WorkerSession } from "../ports.ts";
import type { Lists } from "./built-in-lists.ts";

/** Methods by which a client asks for a list, and where in the result it stands. */
export const LIST_METHODS = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const satisfies Record<string, keyof Lists>;

export type ListMethod = keyof typeof LIST_METHODS;
type ListName = (typeof LIST_METHODS)[ListMethod];

/** What the client is told of; templates belong to the resources. */
export type ChangedList = "tools" | "prompts" | "resources";

const CHANGED_LIST = {
  tools: "tools",
  prompts: "prompts",
  resources: "resources",
  resourceTemplates: "resources",
} as const satisfies Record<ListName, ChangedList>;

export interface WorkerListsDeps {
  session: WorkerSession;
  state: StateFile;
  /** For a Worker that was never reached from this machine. */
  builtIn: Lists;
  onChanged(changed: ReadonlySet<ChangedList>): void;
}

/** A client that asks first thing is answered from a Worker that is quick, and not kept waiting by one that is not. */
const FIRST_LIST_PATIENCE_MS = 1_000;
/** Lists change with a deploy: the Worker is not asked again with each question, and not for ever answered for. */
const FRESH_MS = 30_000;
const STALE_MS = 3_600_000;
/** Keeps a server that never ends its pages from being asked for ever. */
const MAX_PAGES = 50;

export class WorkerLists {
  readonly #deps: WorkerListsDeps;
  #lists: Lists;
  /** What the client was answered last. */
  readonly #told = new Map<ListName, string>();
  /** The lists are this Worker's, if old ones: not the build's. */
  #seen = false;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | null = null;

  constructor(deps: WorkerListsDeps) {
    this.#deps = deps;
    this.#lists = deps.builtIn;
  }

  /** Takes over what the state file remembers. */
  async restore(): Promise<void> {
    const { lists } = await this.#deps.state.read();
    if (!lists) return;
    this.#lists = lists;
    this.#seen = true;
  }

  get instructions(): string | null {
    return this.#lists.instructions;
  }

  /** The result of a list request, whole: pages are not needed over a pipe. */
  async answer(method: ListMethod): Promise<Record<string, unknown>> {
    const refreshed = this.refresh();
    if (!this.#seen) await Promise.race([refreshed, pause(FIRST_LIST_PATIENCE_MS)]);
    const name = LIST_METHODS[method];
    this.#told.set(name, JSON.stringify(this.#lists[name]));
    return { [name]: this.#lists[name] };
  }

  /** The Worker is there, and answers: time to ask it for what was missed while it was not. */
  onAnswer(): void {
    void this.refresh(STALE_MS);
  }

  /** Asks the Worker, if the last answer is older than that and nobody has to sign in for it. Never rejects. */
  refresh(maxAgeMs = FRESH_MS): Promise<void> {
    if (performance.now() - this.#fetchedAt < maxAgeMs) return Promise.resolve();
    this.#refreshing ??= this.#fetch()
      .catch(() => {})
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  /** The Worker says that they changed. */
  invalidate(): Promise<void> {
    return this.refresh(0);
  }

  async #fetch(): Promise<void> {
    const fetched = { ...this.#lists };
    for (const method of Object.keys(LIST_METHODS) as ListMethod[]) {
      const list = await this.#fetchList(method);
      // Without one of them nothing is known of the others either: a Worker that is down is not one without tools.
      if (list === null) return;
      Object.assign(fetched, { [LIST_METHODS[method]]: list });
    }
    fetched.instructions = this.#deps.session.instructions() ?? fetched.instructions;
    await this.#takeOver(fetched);
  }

  /** All pages; null where there was no answer. */
  async #fetchList(method: ListMethod): Promise<unknown[] | null> {
    const items: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await this.#deps.session.request(method, cursor === undefined ? undefined : { cursor }, {
        interactive: false,
      });
      // A server without such a list says so with an error.
      if (answer.outcome === "error") return items;
      if (answer.outcome !== "result") return null;
      const list = answer.result[LIST_METHODS[method]];
      if (Array.isArray(list)) items.push(...list);
      if (typeof answer.result.nextCursor !== "string") break;
      cursor = answer.result.nextCursor;
    }
    return items;
  }

  async #takeOver(fetched: Lists): Promise<void> {
    const keep = !this.#seen || JSON.stringify(fetched) !== JSON.stringify(this.#lists);
    const changed = new Set<ChangedList>();
    for (const [name, told] of this.#told) {
      if (told !== JSON.stringify(fetched[name])) changed.add(CHANGED_LIST[name]);
    }
    this.#lists = fetched;
    this.#seen = true;
    this.#fetchedAt = performance.now();
    if (changed.size > 0) this.#deps.onChanged(changed);
    if (keep) await this.#deps.state.update((state) => ({ ...state, lists: fetched }));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms).unref());
}
