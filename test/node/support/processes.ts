/** What runs on this machine, as far as a test has to know it: Linux by /proc, elsewhere by ps. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

export interface Process {
  pid: number;
  parent: number;
  group: number;
  command: string;
}

/** Every live process (those that only wait for their parent to notice their end are not). */
export function processes(): Process[] {
  return existsSync("/proc/self/stat") ? fromProc() : fromPs();
}

function fromProc(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // The command's own name stands in parentheses and may hold anything: the fields follow the last one.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z" || state === "X") return [];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), command }];
    } catch {
      return []; // it ended while we looked
    }
  });
}

function fromPs(): Process[] {
  const lines = execFileSync("ps", ["-axo", "pid=,ppid=,pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (!match || match[4]!.startsWith("Z")) return [];
    return [{ pid: Number(match[1]), parent: Number(match[2]), group: Number(match[3]), command: match[5]! }];
  });
}

/** A process and everything that it started, as long as no parent in between has ended. */
export function treeOf(pid: number): Process[] {
  const all = processes();
  const tree = all.filter((process) => process.pid === pid);
  for (const process of tree) tree.push(...all.filter(({ parent }) => parent === process.pid));
  return tree;
}
