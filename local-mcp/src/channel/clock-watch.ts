/** Notices when time has jumped between two looks: a laptop that slept, a process that was stopped. Pure. */

/** How often to look. */
export const TICK_MS = 2_000;
/** A look that is so late was not the event loop. */
const JUMP_MS = 8_000;

export class ClockWatch {
  #looked: number;

  /** @param now milliseconds by the wall clock: whether a monotonic one counts sleep differs between systems */
  constructor(now: number) {
    this.#looked = now;
  }

  /** Whether far more than a tick has passed since the last look. */
  jumped(now: number): boolean {
    const since = now - this.#looked;
    this.#looked = now;
    return since > TICK_MS + JUMP_MS;
  }
}
