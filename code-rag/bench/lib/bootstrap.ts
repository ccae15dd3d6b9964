/**
 * 95 % interval of the mean difference between two systems over the same queries: paired bootstrap, with a generator of
 * its own so that a run can be repeated.
 */
export function pairedInterval(ours: readonly number[], theirs: readonly number[], rounds = 2_000): [number, number] {
  const differences = ours.map((value, index) => value - (theirs[index] as number));
  const random = mulberry32(20_261_130);
  const means: number[] = [];
  for (let round = 0; round < rounds; round++) {
    let sum = 0;
    for (let i = 0; i < differences.length; i++)
      sum += differences[Math.floor(random() * differences.length)] as number;
    means.push(sum / differences.length);
  }
  means.sort((a, b) => a - b);
  return [means[Math.floor(rounds * 0.025)] as number, means[Math.floor(rounds * 0.975)] as number];
}

/** Tommy Ettinger's mulberry32: small, seeded, good enough to draw samples. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
