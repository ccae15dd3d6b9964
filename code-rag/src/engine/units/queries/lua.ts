import type { UnitQuery } from "../unit-query.ts";

export const lua: UnitQuery = {
  query: `
    (function_declaration name: (_) @name body: (_)? @body) @function
    (assignment_statement
      (variable_list . name: (_) @name .)
      (expression_list . value: (function_definition body: (_)? @body) .)) @function
    (field name: [(identifier) (string)] @name value: (function_definition body: (_)? @body)) @function
    (variable_declaration (assignment_statement) @wrapped) @wrapper

    (comment) @comment

    (chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @define))))
    (chunk (assignment_statement (variable_list name: (_) @define)))

    (function_call name: (identifier) @call)
    (function_call name: (dot_index_expression field: (identifier) @call))
    (function_call name: (method_index_expression method: (identifier) @call))
    (function_call
      name: (identifier) @_require
      arguments: (arguments . (string) @import)
      (#eq? @_require "require"))

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
  qualifier: ".",
  // A method is called with `:`, and named like everything else of its table.
  cleanName: (text) => text.replace(/^(["'])(.*)\1$/, "$2").replaceAll(":", "."),
};
