/** The program's entry. */
import { homedir } from "node:os";
import { commandOf, HELP } from "./cli.ts";
import { doctor } from "./commands/doctor.ts";
import { login } from "./commands/login.ts";
import { logout } from "./commands/logout.ts";
import { runBridge } from "./commands/run.ts";
import { runUnconfigured } from "./commands/run-unconfigured.ts";
import { readBridgeConfig } from "./config.ts";
import { warn } from "./log.ts";
import { VERSION } from "./version.ts";

/** undici marks its proxy agent as experimental at each start, which is nothing that a user could act on. */
process.removeAllListeners("warning");
process.on("warning", ({ name, message, code }: Error & { code?: string }) => {
  if (code !== "UNDICI-EHPA") warn(`${name}: ${message}`);
});

process.exitCode = await main(process.argv.slice(2));

/** @returns the exit code, once the command is done */
async function main(args: readonly string[]): Promise<number> {
  const parsed = commandOf(args);
  if ("problem" in parsed) {
    process.stderr.write(`${parsed.problem}\n\n${HELP}`);
    return 2;
  }
  const { command } = parsed;
  if (command === "help" || command === "version") {
    process.stdout.write(command === "help" ? HELP : `${VERSION}\n`);
    return 0;
  }
  const configured = readBridgeConfig(process.env, homedir());
  if (!configured.ok) {
    warn(configured.message);
    // Who started it in a terminal has read that; a client's user only ever sees what a tool answers.
    return command === "bridge" && !process.stdin.isTTY ? await runUnconfigured(configured.message) : 1;
  }
  switch (command) {
    case "bridge":
      return await runBridge(configured.config);
    case "doctor":
      return await doctor(configured.config);
    case "login":
      return await login(configured.config);
    case "logout":
      return await logout(configured.config);
  }
}
