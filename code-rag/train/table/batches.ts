/**
 * Pairs in batches. Half of a batch's others come from the pair's own package, as in a search inside one repository:
 * what tells two functions of one project apart is what has to be learned.
 *
 * @param packages indices of the pairs of each package.
 */
export function makeBatches(packages: readonly Int32Array[], size: number, random: () => number): Int32Array[] {
  const groupSize = size / 4;
  const groups: Int32Array[] = [];
  for (const pairs of packages) {
    const shuffled = shuffle(Int32Array.from(pairs), random);
    for (let start = 0; start < shuffled.length; start += groupSize)
      groups.push(shuffled.slice(start, start + groupSize));
  }
  const all = shuffle(groups, random).flatMap((group) => [...group]);
  const batches: Int32Array[] = [];
  for (let start = 0; start + size <= all.length; start += size)
    batches.push(Int32Array.from(all.slice(start, start + size)));
  return batches;
}

/** Fisher–Yates, in place. */
function shuffle<List extends { length: number; [index: number]: unknown }>(list: List, random: () => number): List {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const kept = list[i];
    list[i] = list[j];
    list[j] = kept;
  }
  return list;
}
