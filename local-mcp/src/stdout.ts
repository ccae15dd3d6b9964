/** Keeps stdout for JSON-RPC: one stray line there, of whichever library, and the client drops the connection. */
import { Writable } from "node:stream";

/**
 * Takes stdout over. From now on whatever else writes to it, `console.log` included, goes to stderr.
 * @returns the one way to stdout
 */
export function claimStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout) as (
    chunk: unknown,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ) => boolean;
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  const claimed = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => {
      // Its failure shows at process.stdout, whose "error" ends the process (exit.ts).
      write(chunk, encoding, () => done());
    },
  });
  return claimed;
}
