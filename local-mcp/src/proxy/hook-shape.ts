/**
 * The status as Claude Code's `UserPromptSubmit` hook takes it in: one text item that is the hook's JSON, and nothing
 * else in it (https://code.claude.com/docs/en/hooks). Silence where nothing is pending: a reminder with every prompt
 * that there is nothing would be noise.
 */
import * as z from "zod";

/** What of the status is read here; the Worker's own words about it are passed on. */
const pendingStatus = z.object({
  pending_count: z.number().int().positive(),
  latest_received_at: z.string(),
  types: z.record(z.string(), z.number()),
  dropped: z.number().optional(),
  unavailable: z.array(z.looseObject({ login: z.string() })).optional(),
});

/** Names of event types are `[a-z_]+`; whatever else is there is not ours to hand to a model. */
const TYPE_NAME = /^[a-z0-9_]{1,64}$/i;

/**
 * The result of `get_pending_status` with its text in the hook's shape and the rest untouched. An error, an empty
 * status and what can't be read as a status are returned as they are.
 */
export function toHookShape(result: Record<string, unknown>): Record<string, unknown> {
  if (result.isError === true) return result;
  const status = pendingStatus.safeParse(result.structuredContent);
  if (!status.success) return result;
  const hook = {
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: contextLine(status.data) },
  };
  return { ...result, content: [{ type: "text", text: JSON.stringify(hook) }] };
}

function contextLine({ pending_count, latest_received_at, types, dropped, unavailable }: Status): string {
  const counts = Object.entries(types).flatMap(([type, count]) => (TYPE_NAME.test(type) ? [`${type}:${count}`] : []));
  const remarks = [
    ...(dropped ? [`dropped: ${dropped}`] : []),
    ...(unavailable?.length
      ? [`partial: no answer from ${unavailable.map(({ login }) => name(login)).join(", ")}`]
      : []),
  ];
  // One shape whatever the count: hooks' consumers match it.
  const line = `${pending_count} pending GitHub webhook events (${counts.join(", ")}). latest ${latest_received_at}`;
  return remarks.length > 0 ? `${line}. ${remarks.join(". ")}` : line;
}

type Status = z.infer<typeof pendingStatus>;

function name(login: string): string {
  return /^[\w.-]{1,64}$/.test(login) ? login : "an account";
}
