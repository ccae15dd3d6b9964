import type { UnitQuery } from "../unit-query.ts";

/** A type is a constant: `const Cart = struct { … };`. */
export const zig: UnitQuery = {
  query: `
    (variable_declaration . (identifier) @name (struct_declaration) @body) @struct
    (variable_declaration . (identifier) @name (enum_declaration) @body) @enum
    (variable_declaration . (identifier) @name (union_declaration) @body) @union
    (variable_declaration . (identifier) @name (opaque_declaration) @body) @struct
    (variable_declaration . (identifier) @name (error_set_declaration) @body) @enum
    (function_declaration name: (_) @name body: (_) @body) @function
    (function_declaration name: (_) @name) @function.declaration
    (test_declaration [(string) (identifier)] @name (block) @body) @function

    (comment) @comment

    (source_file (variable_declaration . (identifier) @define))
    (struct_declaration (variable_declaration . (identifier) @define))
    (container_field name: (identifier) @define)
    (error_set_declaration (identifier) @define)

    (call_expression function: (identifier) @call)
    (call_expression function: (field_expression member: (identifier) @call))
    (parameter type: (identifier) @type)
    (pointer_type (identifier) @type)
    (error_union_type ok: (identifier) @type)
    (builtin_function
      (builtin_identifier) @_import
      (arguments (string) @import)
      (#eq? @_import "@import"))

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
};
