/**
 * nDCG@10 as semble's benchmark counts it: each target (gain 1) has the rank of the first result that lies in its file
 * and, where the target names lines, overlaps them; the ideal order has all targets first.
 */

export interface Target {
  readonly path: string;
  readonly startLine?: number;
  readonly endLine?: number;
}

export interface Result {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

export function ndcg(results: readonly Result[], targets: readonly Target[], depth = 10): number {
  let gain = 0;
  for (const target of targets) {
    const rank = results.slice(0, depth).findIndex((result) => hits(result, target));
    if (rank >= 0) gain += 1 / Math.log2(rank + 2);
  }
  let ideal = 0;
  for (let rank = 0; rank < Math.min(targets.length, depth); rank++) ideal += 1 / Math.log2(rank + 2);
  return ideal === 0 ? 0 : gain / ideal;
}

function hits(result: Result, target: Target): boolean {
  if (result.path !== target.path) return false;
  if (target.startLine === undefined || target.endLine === undefined) return true;
  return result.startLine <= target.endLine && result.endLine >= target.startLine;
}
