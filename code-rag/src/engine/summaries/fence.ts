/**
 * Marks text that others wrote, for a model to tell it from our words. The marker holds a nonce that the text cannot
 * know (a digest over the text itself), so that the text cannot close its own fence.
 */
export function fence(label: string, text: string, nonce: string): string {
  return `<<<untrusted ${label} ${nonce}>>>\n${text}\n<<<end ${nonce}>>>`;
}
