/** Pushes as large as a test wants them. Runs in Node as well. */

/** JSON of a `push` that is `size` bytes long (ASCII), in words that compress about as well as prose does. */
export function largePush(size: number, payload: Record<string, unknown>): string {
  const [head, tail] = JSON.stringify({ ref: "refs/heads/main", ...payload, commits: ["HERE"] }).split('"HERE"') as [
    string,
    string,
  ];
  let seed = size;
  const word = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed.toString(36);
  };
  const commits: string[] = [];
  let left = size - head.length - tail.length;
  while (left > 4_000) {
    const message = Array.from({ length: 100 }, word).join(" ");
    const commit = JSON.stringify({ id: word(), message, added: [], removed: [], modified: [`src/${word()}.ts`] });
    commits.push(commit);
    left -= commit.length + 1;
  }
  const frame = JSON.stringify({ message: "" }).length;
  commits.push(JSON.stringify({ message: "x".repeat(left - frame) }));
  return head + commits.join() + tail;
}
