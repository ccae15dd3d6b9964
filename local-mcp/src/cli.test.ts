import { expect, it } from "vitest";
import { commandOf } from "./cli.ts";

it("starts the bridge without arguments, and knows its commands and options", () => {
  expect(commandOf([])).toEqual({ command: "bridge" });
  for (const name of ["doctor", "login", "logout", "help", "version"])
    expect(commandOf([name])).toEqual({ command: name });
  expect(commandOf(["--version"])).toEqual({ command: "version" });
  expect(commandOf(["doctor", "-h"])).toEqual({ command: "help" });
});

it("names what it does not know", () => {
  expect(commandOf(["start"])).toEqual({ problem: 'There is no command "start".' });
  expect(commandOf(["login", "now"])).toEqual({ problem: 'There is no command "login now".' });
  expect(commandOf(["--verbose"])).toMatchObject({ problem: expect.stringContaining("--verbose") });
});
