/** A number from outside, made safe: whole, within its bounds, and the default where it is absent or no number. */
export function clamp(value: number | undefined, least: number, most: number, otherwise: number): number {
  if (value === undefined || !Number.isFinite(value)) return otherwise;
  return Math.min(most, Math.max(least, Math.floor(value)));
}

/** About how many tokens a model counts for a text. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
