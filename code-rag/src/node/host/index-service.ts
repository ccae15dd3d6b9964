import { setImmediate } from "node:timers/promises";
import type { ChatModel, Embedder } from "../../engine/ports.ts";
import type { SearchEngine } from "../../engine/search/search.ts";
import { listRoots, unfinishedNotice } from "../../engine/store/roots.ts";
import { CodeRagError } from "../errors.ts";
import { createEmbedder } from "../models/create-embedder.ts";
import { createModel } from "../models/create-model.ts";
import type { ModelSettings } from "../models/settings.ts";
import type { NodeSqlite } from "../sqlite/node-sqlite.ts";
import type { JobReport } from "./index-job.ts";
import { Indexer, type IndexerState } from "./indexer.ts";
import { openIndex, searchEngine } from "./open-index.ts";
import { prepareTarget, storedTargets, type Target } from "./targets.ts";

export interface IndexServiceOptions {
  readonly database: string;
  /** What to index; empty: what the database has already. */
  readonly targets: readonly Target[];
  readonly models: ModelSettings;
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Takes about 10 ms. */
const PRELOAD_ROWS = 2_000;

/**
 * One index, served: an open database to read from, and a background run that brings it up to date. Questions are
 * answered from what is there at any moment; a failed clone is an error on every question, never an empty answer.
 */
export class IndexService {
  readonly #options: IndexServiceOptions;
  readonly sql: NodeSqlite;
  readonly engine: SearchEngine;
  readonly #indexer: Indexer;
  #run: Promise<JobReport> | undefined;
  #cloning = false;
  #failure: Error | undefined;
  readonly #abort = new AbortController();
  /** Called when the indexer's state changes. */
  onChange: (state: IndexerState) => void = () => {};

  private constructor(options: IndexServiceOptions, embedder: Embedder | undefined) {
    this.#options = options;
    this.sql = openIndex(options.database);
    this.engine = searchEngine(this.sql, embedder);
    this.#indexer = new Indexer({ database: options.database, models: options.models });
    this.#indexer.onChange = (state) => this.onChange(state);
  }

  /** Opens the database, made if it is absent. Nothing is indexed before `refresh`. */
  static async open(options: IndexServiceOptions): Promise<IndexService> {
    const service = new IndexService(options, await createEmbedder(options.models, options.env));
    void service.#preload();
    return service;
  }

  /** Fetches, lists and indexes what changed; joins a run that is under way. */
  refresh(): Promise<JobReport> {
    this.#run ??= this.#refresh().finally(() => {
      this.#run = undefined;
      void this.#preload();
    });
    return this.#run;
  }

  /** Whether a run is under way, for whoever must wait for its end. */
  get busy(): boolean {
    return this.#run !== undefined;
  }

  get indexerState(): IndexerState {
    return this.#indexer.state;
  }

  get lastError(): string | undefined {
    return this.#failure?.message;
  }

  /** Whether to index at once: directories were named, or the last run never came to its end. */
  get wantsRefresh(): boolean {
    return this.#options.targets.length > 0 || unfinishedNotice(this.sql) !== undefined;
  }

  /** `cloning`, `indexing: 40 %` and the like while the index is not complete; undefined when it is. */
  get notice(): string | undefined {
    if (this.#cloning) return "cloning";
    const { state } = this.#indexer;
    if (state.state === "waiting") return "waiting for another process that writes the index";
    if (state.state !== "indexing") return unfinishedNotice(this.sql);
    const progress = state.progress;
    if (!progress || progress.total === 0) return "indexing: 0 %";
    const verb = { list: "indexing", index: "indexing", summarize: "summarizing", embed: "embedding" }[progress.phase];
    return `${verb}: ${Math.floor((100 * progress.done) / progress.total)} %`;
  }

  /** Throws where the index has nothing to answer from because its source could not be had. */
  requireUsable(): void {
    if (this.#failure && listRoots(this.sql).every((root) => root.indexed_at === null)) throw this.#failure;
  }

  /** The chat model for answers; throws one line that says how to configure one. */
  async requireModel(): Promise<ChatModel> {
    const model = await createModel(this.#options.models, this.#options.env);
    if (model) return model;
    throw new CodeRagError(
      "no_model",
      "No language model is configured: set ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, DEEPSEEK_API_KEY or OLLAMA_HOST, or start with --summarizer.",
    );
  }

  /** Stops a run after its current batch, and closes the database. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#indexer.abort();
    await this.#run?.catch(() => {});
    await this.#indexer.close();
    this.sql.close();
  }

  /** Brings the vectors into memory between answers, so that no question waits for all of them. */
  async #preload(): Promise<void> {
    const vectors = this.engine.semantic?.vectors;
    while (!this.#abort.signal.aborted && vectors?.preload(PRELOAD_ROWS)) await setImmediate();
  }

  async #refresh(): Promise<JobReport> {
    const { cache, env } = this.#options;
    try {
      const named = this.#options.targets;
      const targets = named.length > 0 ? named : storedTargets(this.sql, env);
      this.#cloning = targets.some((target) => target.kind === "repository");
      const roots = [];
      for (const target of targets) roots.push(await prepareTarget(target, cache, this.#abort.signal));
      this.#cloning = false;
      const report = await this.#indexer.run({ targets: roots, reindex: false });
      this.#failure = undefined;
      return report;
    } catch (error) {
      this.#failure = error as Error;
      throw error;
    } finally {
      this.#cloning = false;
    }
  }
}
