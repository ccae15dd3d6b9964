/** `login`: signs in and waits until that is done. */
import type { BridgeConfig } from "../ports.ts";
import { makeParts } from "./parts.ts";

/** @returns the exit code: 1 where nobody has signed in */
export async function login(config: BridgeConfig): Promise<number> {
  const { access, network, state } = makeParts(config);
  try {
    const done = new Promise<void>((resolve) => access.onAvailable(resolve));
    for (;;) {
      const answer = await access.token({ interactive: true });
      if (answer.outcome === "token") {
        say(`Signed in at ${config.workerUrl}.`);
        return 0;
      }
      if (answer.outcome === "unavailable") {
        // Slow, and on its way: the sign-in is in the state file as soon as it has begun.
        if ((await pendingWithin(state, 10_000)) !== null) continue;
        process.stderr.write(`${answer.sentence}\n`);
        return 1;
      }
      const { url, code, expiresAt } = answer.prompt;
      say(`Open ${url}\n\nThe page must show the code ${code}. Waiting for the sign-in …`);
      const ended = await Promise.race([done.then(() => false), overBy(state, expiresAt)]);
      if (ended) {
        process.stderr.write("The sign-in was denied or not finished. Run the command again.\n");
        return 1;
      }
    }
  } finally {
    access.close();
    await network.close();
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

type State = ReturnType<typeof makeParts>["state"];

async function pendingWithin(state: State, ms: number): Promise<true | null> {
  for (const end = Date.now() + ms; Date.now() < end; await pause(200)) {
    const { pendingSignIn, tokens } = await state.read();
    if (pendingSignIn || tokens) return true;
  }
  return null;
}

/** Resolves to true once the sign-in is over without tokens. */
async function overBy(state: State, expiresAt: number): Promise<boolean> {
  for (;;) {
    await pause(500);
    const { pendingSignIn, tokens } = await state.read();
    if (!tokens && (!pendingSignIn || Date.now() > expiresAt)) return true;
    if (tokens) await pause(2_000);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
