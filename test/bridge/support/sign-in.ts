/** A person at the page that a bridge asks them to open. */
import { Person } from "../../github/person.ts";
import type { Bridge } from "./bridge.ts";
import { textsOf } from "./bridge.ts";

const PATIENCE_MS = 20_000;

/**
 * Makes a first call, signs in at the page that it names, and waits until calls are answered.
 * @param login who signs in at GitHub; absent: local mode's one click
 */
export async function signIn(bridge: Bridge, login?: string): Promise<void> {
  const url = /Open (\S+)/.exec(textsOf(await bridge.call("get_pending_status"))[0] ?? "")?.[1];
  if (!url) throw new Error(`the first call names no page: ${bridge.stderr()}`);
  const person = new Person(login ?? "nobody");
  if (login === undefined) await person.press(await person.open(url), /sign in/i);
  else await person.signIn(url);
  await answered(bridge);
}

/** Resolves once a call is answered by the Worker. */
export async function answered(bridge: Bridge): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    if (!(await bridge.call("get_pending_status")).isError) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`not signed in after ${PATIENCE_MS / 1_000} s: ${bridge.stderr()}`);
}
