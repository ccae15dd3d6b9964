import type { Lists } from "../src/proxy/built-in-lists.ts";

export function workerLists(): Promise<Lists>;
