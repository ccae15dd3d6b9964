/** `login`: signs in and waits until that is done. */
import type { BridgeConfig, StateFile } from "../ports.ts";
import { makeParts } from "./parts.ts";

/** Somebody at a terminal rather waits for a slow Worker than calls again. */
const PATIENCE_MS = 30_000;
const LOOK_INTERVAL_MS = 300;

/** @returns the exit code: 1 where nobody has signed in */
export async function login(config: BridgeConfig): Promise<number> {
  const { access, network, state } = makeParts(config, { firstAnswerMs: PATIENCE_MS });
  try {
    const answer = await access.token({ interactive: true });
    if (answer.outcome === "unavailable") {
      process.stderr.write(`${answer.sentence}\n`);
      return 1;
    }
    if (answer.outcome === "sign-in") {
      const { url, code } = answer.prompt;
      process.stdout.write(`Open ${url}\n\nThe page must show the code ${code}. Waiting for the sign-in …\n`);
      if (!(await isDone(state, url))) {
        process.stderr.write("The sign-in was denied or not finished. Run the command again.\n");
        return 1;
      }
    }
    process.stdout.write(`Signed in at ${config.workerUrl}.\n`);
    return 0;
  } finally {
    access.close();
    await network.close();
  }
}

/** Whether the sign-in at this page ends with tokens; another process may be the one that polls it. */
async function isDone(state: StateFile, url: string): Promise<boolean> {
  for (;;) {
    const { tokens, pendingSignIn } = await state.read();
    if (tokens) return true;
    if (pendingSignIn?.url !== url) return false;
    await new Promise((done) => setTimeout(done, LOOK_INTERVAL_MS));
  }
}
