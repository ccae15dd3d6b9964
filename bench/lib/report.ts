/** Figures as people read them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem } from "node:os";
import { dirname } from "node:path";

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** @param share 0–1 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The median of ratios of runs that stood side by side. */
export function medianRatio(a: readonly number[], b: readonly number[]): number {
  return median(a.map((value, i) => value / b[i]!));
}

export function fixed(value: number | null, digits: number): string {
  return value === null || Number.isNaN(value) ? "–" : value.toFixed(digits);
}

export const thousands = (value: number) => Math.round(value).toLocaleString("en-US");

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n");
}

export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  platform: string;
  node: string;
  workerd: string;
}

export function machine(): Machine {
  const require = createRequire(import.meta.url);
  const workerd: { version: string } = createRequire(require.resolve("wrangler/package.json"))("workerd/package.json");
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    workerd: workerd.version,
  };
}

export function machineLine({ cpu, cores, memoryGb, platform, node, workerd }: Machine): string {
  return `${cores} cores of ${cpu}, ${memoryGb} GB, ${platform}; Node ${node}, workerd ${workerd}.`;
}

export function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
