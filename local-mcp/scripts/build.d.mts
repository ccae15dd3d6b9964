/** Absolute path of the built file. */
export const OUTPUT: string;
export function buildBridge(): Promise<string>;
