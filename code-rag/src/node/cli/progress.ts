import type { WriteStream } from "node:tty";
import type { IndexerState } from "../host/indexer.ts";

const BAR_WIDTH = 28;
/** Where there is no terminal, a line for each of these steps, in percent. */
const STEP = 25;

const VERBS = { list: "Listing", index: "Indexing", summarize: "Summarizing", embed: "Embedding" } as const;

/** Shows how far an index run is: a bar on a terminal, plain lines elsewhere. Always on stderr. */
export class ProgressDisplay {
  readonly #stream: WriteStream;
  #shown = "";

  constructor(stream: WriteStream = process.stderr) {
    this.#stream = stream;
  }

  update(state: IndexerState): void {
    if (state.state === "waiting") this.#line("Another process is writing this index; waiting for it.");
    const progress = state.progress;
    if (state.state !== "indexing" || !progress || progress.total === 0) return;
    const percent = Math.floor((100 * progress.done) / progress.total);
    const what = `${VERBS[progress.phase]}${progress.root ? ` ${progress.root}` : ""}`;
    if (this.#stream.isTTY) this.#bar(what, percent, `${progress.done}/${progress.total}`);
    else this.#line(`${what}: ${percent - (percent % STEP)} %`);
  }

  /** Clears the bar, so that other lines can follow. */
  clear(): void {
    if (this.#stream.isTTY && this.#shown !== "") this.#stream.write("\r\x1b[K");
    this.#shown = "";
  }

  #bar(what: string, percent: number, count: string): void {
    const filled = Math.round((BAR_WIDTH * percent) / 100);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    const text = `${what} ${bar} ${percent} % (${count})`.slice(0, Math.max(20, (this.#stream.columns ?? 80) - 1));
    if (text === this.#shown) return;
    this.#shown = text;
    this.#stream.write(`\r${text}\x1b[K`);
  }

  #line(text: string): void {
    if (text === this.#shown) return;
    this.clear();
    this.#shown = text;
    this.#stream.write(`${text}\n`);
  }
}
