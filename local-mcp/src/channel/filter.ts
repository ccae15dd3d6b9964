/** Which events are pushed. The tools show all of them, whatever is set here. Pure. */
import type { ChannelConfig } from "../ports.ts";
import type { Notable } from "./line.ts";

export function wants(config: Omit<ChannelConfig, "enabled">, { type, repo, sender }: Notable): boolean {
  return has(config.types, type) && has(config.repositories, repo) && has(config.senders, sender);
}

/** An empty list wants everything; another one does not want what has no such thing. */
function has(list: readonly string[], value: string | null): boolean {
  return list.length === 0 || (value !== null && list.includes(value.toLowerCase()));
}
