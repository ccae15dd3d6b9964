/** Stores that fail on purpose. Durable Objects run in the tests' isolate, so that their class can be spied on. */
import { vi } from "vitest";
import type { StorePort } from "../../worker/src/ports.ts";
import { WebhookStore } from "../../worker/src/store/store.ts";

const READS = ["status", "list", "listWithPayloads", "event", "since", "head", "positionAt", "search", "mark"] as const;

/**
 * Makes every read of these accounts' stores fail, until `vi.restoreAllMocks()`.
 * @param accountIds absent = all stores
 */
export function failReads(accountIds?: readonly number[]): void {
  const names = accountIds?.map((id) => `store-${id}`);
  for (const method of [...READS, "markUpTo", "fetch"] as const satisfies readonly (keyof StorePort)[]) {
    const real = WebhookStore.prototype[method] as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(WebhookStore.prototype, method).mockImplementation(async function (
      this: { ctx: DurableObjectState },
      ...args: unknown[]
    ) {
      const { name } = this.ctx.id;
      if (names === undefined || names.includes(name ?? "")) throw new Error(`disk of ${name} on fire`);
      return real.apply(this, args);
    } as never);
  }
}
