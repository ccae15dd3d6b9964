/**
 * The IP allowlist: only GitHub's own hook addresses may post webhooks, or those that the operator lists.
 *
 * GitHub's list changes without notice, so it is fetched, kept for an hour and renewed behind the requests. When it
 * can't be had, the last good list stays in force; an isolate that never had one uses the list below.
 */
import type { IpAllowlist } from "../config.ts";
import { fetchHookRanges } from "../github/meta.ts";
import { type IpAddress, type IpRange, inRanges, parseRange } from "../ip-range.ts";
import { errorText, log } from "../log.ts";

/** GitHub's hook ranges, the same from 2021 to 2026. */
const SHIPPED_RANGES = parseRanges([
  "192.30.252.0/22",
  "185.199.108.0/22",
  "140.82.112.0/20",
  "143.55.64.0/20",
  "2a0a:a440::/29",
  "2606:50c0::/32",
]);

const FRESH_MS = 3_600_000;
/** After an attempt that failed. */
const RETRY_MS = 60_000;
/** A first request waits this long for the list; GitHub waits 10 s for the answer. */
const WAIT_MS = 2_000;

/** GitHub's hook ranges as this isolate knows them. One for each isolate. */
export class HookRanges {
  #ranges: { apiUrl: string; list: readonly IpRange[]; fetchedAt: number } | null = null;
  #attempt: { apiUrl: string; startedAt: number; done: Promise<void> } | null = null;

  /**
   * The ranges in force. Waits only where there is no list yet, and then for two seconds at most.
   *
   * @param waitUntil keeps a renewal in the background alive after the request's answer
   */
  async current(apiUrl: string, now: number, waitUntil: (work: Promise<unknown>) => void): Promise<readonly IpRange[]> {
    const known = this.#ranges?.apiUrl === apiUrl ? this.#ranges : null;
    if (known !== null && now - known.fetchedAt < FRESH_MS) return known.list;
    const attempt = this.#refresh(apiUrl, now);
    waitUntil(attempt);
    if (known !== null) return known.list;
    // The attempt may belong to another request, and end with it unheard: never wait for it without a clock.
    await Promise.race([attempt, scheduler.wait(WAIT_MS)]);
    return this.#ranges?.apiUrl === apiUrl ? this.#ranges.list : SHIPPED_RANGES;
  }

  /** The attempt that is under way, or failed just now, or else a new one. Never rejects. */
  #refresh(apiUrl: string, now: number): Promise<void> {
    const last = this.#attempt;
    if (last?.apiUrl === apiUrl && now - last.startedAt < RETRY_MS) return last.done;
    const done = fetchHookRanges(apiUrl, WAIT_MS)
      .then((texts) => {
        const list = parseRanges(texts);
        if (list.length === 0) throw new Error("GET /meta: no range in hooks");
        this.#ranges = { apiUrl, list, fetchedAt: now };
      })
      .catch((error: unknown) => log("warn", "hook_ranges_unavailable", { error: errorText(error) }));
    this.#attempt = { apiUrl, startedAt: now, done };
    return done;
  }
}

function parseRanges(texts: readonly string[]): IpRange[] {
  // One range of a form that is not known yet must not cost the others.
  return texts.map(parseRange).filter((range) => range !== null);
}

/**
 * Whether a request may come from `address`. Fails closed: an address that is missing or can't be parsed is on no list.
 *
 * @param hookRanges gives GitHub's ranges; asked only in the mode that needs them
 */
export async function allowedAddress(
  address: IpAddress | null,
  allowlist: IpAllowlist,
  hookRanges: () => Promise<readonly IpRange[]>,
): Promise<boolean> {
  switch (allowlist.mode) {
    case "off":
      return true;
    case "ranges":
      return address !== null && inRanges(address, allowlist.ranges);
    case "github":
      return address !== null && inRanges(address, await hookRanges());
  }
}
