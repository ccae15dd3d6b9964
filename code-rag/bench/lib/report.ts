import { mean, pairedInterval } from "./bootstrap.ts";

/** Scores of each query, in one order, by system; the first system is ours. */
export type Scores = Map<string, number[]>;

/** Prints every system's mean, and its difference to ours with the paired 95 % interval. */
export function compare(measure: string, scores: Scores): void {
  const [[own, ours] = ["", []], ...others] = [...scores];
  console.log(`${measure} over ${ours.length} queries: ${own} ${mean(ours).toFixed(4)}`);
  for (const [name, theirs] of others) {
    const [low, high] = pairedInterval(theirs, ours);
    const change = mean(theirs) - mean(ours);
    console.log(`  ${name.padEnd(32)} ${mean(theirs).toFixed(4)}  ${signed(change)} [${signed(low)}, ${signed(high)}]`);
  }
}

export function signed(value: number): string {
  return `${value >= 0 ? "+" : ""}${value.toFixed(3)}`;
}
