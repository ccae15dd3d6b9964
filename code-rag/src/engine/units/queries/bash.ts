import type { UnitQuery } from "../unit-query.ts";

export const bash: UnitQuery = {
  query: `
    (function_definition name: (word) @name body: (_) @body) @function

    (comment) @comment

    (program (variable_assignment name: (variable_name) @define))
    (program (declaration_command (variable_assignment name: (variable_name) @define)))

    (command name: (command_name (word) @call))
    (command
      name: (command_name (word) @_source)
      argument: [(word) (string) (concatenation)] @import
      (#match? @_source "^(source|[.])$"))

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
  mask: batsTests,
  cleanName: (text) => text.replace(/^@test ["']/, ""),
};

/** `@test "adds numbers" {` (Bats) is a function to Bash once Bats has rewritten it, and so it is here. */
function batsTests(text: string): string {
  return text.replace(/^@test (?:".*"|'.*')[ \t]+(?=\{[ \t]*\r?$)/gm, (head) => `${"t".repeat(head.length - 2)}()`);
}
