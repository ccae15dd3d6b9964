/** A home directory for bridges: their state, and a browser that only writes down what it is asked to open. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { BridgeState } from "../../../local-mcp/src/ports.ts";
import { stateFileName } from "../../../local-mcp/src/state/state-file.ts";

/** The commands by which a URL is opened, of the systems that tests run on. */
const OPENERS = ["xdg-open", "open"];

export class Home {
  readonly path = mkdtempSync(join(tmpdir(), "bridge-home-"));
  readonly #opened = join(this.path, "opened-urls");

  constructor() {
    mkdirSync(join(this.path, "bin"));
    for (const opener of OPENERS) {
      const script = join(this.path, "bin", opener);
      writeFileSync(script, `#!/bin/sh\nprintf '%s\\n' "$1" >> "${this.#opened}"\n`);
      chmodSync(script, 0o755);
    }
  }

  /** What a bridge's environment needs to live here. */
  get env(): Record<string, string> {
    return { HOME: this.path, PATH: `${join(this.path, "bin")}${delimiter}${process.env.PATH}` };
  }

  /** URLs that were to be opened in a browser, the oldest first. */
  opened(): string[] {
    return existsSync(this.#opened) ? readFileSync(this.#opened, "utf8").trim().split("\n") : [];
  }

  get stateDirectory(): string {
    return join(this.path, ".github-webhook-mcp");
  }

  /** Puts down what an earlier bridge would have left there. */
  leave(workerUrl: string, state: BridgeState): void {
    mkdirSync(this.stateDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.stateDirectory, stateFileName(workerUrl)), JSON.stringify(state), { mode: 0o600 });
  }

  state(workerUrl: string): BridgeState {
    return JSON.parse(readFileSync(join(this.stateDirectory, stateFileName(workerUrl)), "utf8")) as BridgeState;
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A sign-in of which nothing has expired. */
export function signedIn(accessToken = "access-token"): BridgeState {
  return {
    client: { clientId: "client" },
    tokens: { accessToken, refreshToken: "refresh-token", receivedAt: Date.now(), expiresInSeconds: 3_600 },
  };
}
