/** One structured line of log: JSON with a stable `event` name. Fields never carry a secret or a payload's text. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes one line. `event` is a stable snake_case name that log queries can rely on. */
export function log(level: "info" | "warn" | "error", event: string, fields: LogFields = {}): void {
  console[level](JSON.stringify({ event, ...fields }));
}

/** An error's message, short enough for a log line. */
export function errorText(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 300);
}
