/** Width of the vectors that come from services. */
export const SERVICE_DIMENSIONS = 768;

/**
 * A service's vector at the index's width: cut (models trained the Matryoshka way, as most of today's are, keep their
 * meaning in the first components) or padded with zeros, which changes no cosine.
 */
export function fitDimensions(vector: readonly number[]): number[] {
  const cut = vector.slice(0, SERVICE_DIMENSIONS);
  while (cut.length < SERVICE_DIMENSIONS) cut.push(0);
  return cut;
}
