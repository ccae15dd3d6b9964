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
  `,
  separator: () => ".",
};
