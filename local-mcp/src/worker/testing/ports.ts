/** Hand-made ports for the tests of the MCP side: Node's own fetch, and sign-ins that the test decides on. */
import type { Access, AccessAnswer, BridgeState, Network, StateFile } from "../../ports.ts";

export const plainNetwork: Network = {
  fetch: (url, { timeoutMs: _, ...init } = {}) => fetch(url, init),
  openSocket: () => Promise.reject(new Error("no sockets here")),
  close: async () => {},
};

/** Gives the token of the day; a rejected one is replaced, as a refresh would. */
export class TestAccess implements Access {
  answer: AccessAnswer = { outcome: "token", token: "token-1" };
  readonly rejected: string[] = [];
  readonly asked: boolean[] = [];
  readonly #listeners: (() => void)[] = [];

  async token({ interactive }: { interactive: boolean }): Promise<AccessAnswer> {
    this.asked.push(interactive);
    return this.answer;
  }

  reject(token: string): void {
    this.rejected.push(token);
    this.answer = { outcome: "token", token: `token-${this.rejected.length + 1}` };
  }

  onAvailable(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A sign-in is done. */
  signedIn(): void {
    this.answer = { outcome: "token", token: "token-1" };
    for (const listener of this.#listeners) listener();
  }

  close(): void {}
}

/** A state file in memory. */
export class TestState implements StateFile {
  state: BridgeState;

  constructor(state: BridgeState = {}) {
    this.state = state;
  }

  async read(): Promise<BridgeState> {
    return this.state;
  }

  async update(change: (state: BridgeState) => BridgeState): Promise<BridgeState> {
    this.state = change(this.state);
    return this.state;
  }

  exclusive<T>(_: string, step: () => Promise<T>): Promise<T> {
    return step();
  }

  async tryExclusive<T>(_: string, step: () => Promise<T>): Promise<{ result: T }> {
    return { result: await step() };
  }

  async diskProblem(): Promise<string | null> {
    return null;
  }
}
