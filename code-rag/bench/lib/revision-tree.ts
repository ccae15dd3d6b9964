import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const LARGEST = 1_000_000;

/**
 * The files of a revision in a directory. Moving to another revision writes only what differs, so that the index has
 * little to do; a file whose content the git directory lacks (snapshots leave large ones out) is not written.
 */
export class RevisionTree {
  readonly #git: string;
  readonly #directory: string;
  #written = new Map<string, string>();

  constructor(git: string, directory: string) {
    this.#git = git;
    this.#directory = directory;
  }

  moveTo(revision: string): void {
    const wanted = this.#list(revision);
    for (const path of this.#written.keys())
      if (!wanted.has(path)) rmSync(join(this.#directory, path), { force: true, recursive: true });
    const changed = [...wanted].filter(([path, blob]) => this.#written.get(path) !== blob);
    const contents = this.#read(new Set(changed.map(([, blob]) => blob)));
    for (const [path, blob] of changed) {
      const content = contents.get(blob);
      if (content === undefined) continue;
      const file = join(this.#directory, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    this.#written = wanted;
  }

  /** Blob of each regular file. */
  #list(revision: string): Map<string, string> {
    const listed = this.#run(["ls-tree", "-r", "-z", revision]).toString("utf8").split("\0");
    return new Map(
      listed.flatMap((line) => {
        const [, blob, path] = /^100\d{3} blob (\w+)\t([\s\S]+)$/.exec(line) ?? [];
        return blob && path ? [[path, blob] as const] : [];
      }),
    );
  }

  /** Contents by blob, in git's batch format: `BLOB blob SIZE`, a line feed, the bytes, a line feed. */
  #read(blobs: ReadonlySet<string>): Map<string, Buffer> {
    const output = this.#run(["cat-file", "--batch"], [...blobs].join("\n"));
    const contents = new Map<string, Buffer>();
    for (let at = 0; at < output.length; ) {
      const end = output.indexOf(10, at);
      const [blob = "", , size] = output.toString("latin1", at, end).split(" ");
      at = end + 1;
      if (size === undefined) continue;
      if (Number(size) <= LARGEST) contents.set(blob, output.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
    return contents;
  }

  #run(args: readonly string[], input = ""): Buffer {
    return execFileSync("git", [`--git-dir=${this.#git}`, ...args], { input, maxBuffer: 2 ** 31 });
  }
}
