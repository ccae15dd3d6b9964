/**
 * The lists that the Worker of this build answers with, for a client that asks before anybody has signed in: without
 * tools there is nothing to call, and without a call nobody is asked to sign in. The build script takes them from the
 * Worker's own server (scripts/worker-lists.ts); the source holds no copy, and run from source there are none.
 */
import type { BridgeState } from "../ports.ts";

export type Lists = NonNullable<BridgeState["lists"]>;

declare const __WORKER_LISTS__: Lists | undefined;

export const NO_LISTS: Lists = {
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  instructions: null,
};

export const builtInLists: Lists = typeof __WORKER_LISTS__ === "undefined" ? NO_LISTS : __WORKER_LISTS__;
