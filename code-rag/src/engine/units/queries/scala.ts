import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import type { UnitQuery } from "../unit-query.ts";

export const scala: UnitQuery = {
  query: `
    (class_definition name: (_) @name body: (_)? @body) @class
    (trait_definition name: (_) @name body: (_)? @body) @trait
    (object_definition name: (_) @name body: (_)? @body) @object
    (package_object name: (_) @name body: (_)? @body) @object
    (enum_definition name: (_) @name body: (_) @body) @enum
    (given_definition name: (_) @name body: (_) @body) @object
    (type_definition name: (_) @name) @type
    (function_definition name: (_) @name body: (_) @body) @function
    (function_declaration name: (_) @name) @function.declaration
    (val_definition pattern: (identifier) @name value: (lambda_expression) @body) @function

    (comment) @comment
    (block_comment) @comment
    (annotation) @attribute

    (val_definition pattern: (identifier) @define)
    (var_definition pattern: (identifier) @define)
    (simple_enum_case name: (_) @define)
    (full_enum_case name: (_) @define)
    (class_parameter name: (identifier) @define)

    (call_expression function: (identifier) @call)
    (call_expression function: (field_expression field: (identifier) @call))
    (call_expression function: (generic_function function: (identifier) @call))
    (call_expression function: (generic_function function: (field_expression field: (identifier) @call)))
    (instance_expression (type_identifier) @call)
    (instance_expression (generic_type type: (type_identifier) @call))
    (extends_clause (type_identifier) @extends)
    (extends_clause (generic_type type: (type_identifier) @extends))
    (parameter type: (type_identifier) @type)
    (class_parameter type: (type_identifier) @type)
    (generic_type type: (type_identifier) @type)
    (type_arguments (type_identifier) @type)
    (function_definition return_type: (type_identifier) @type)
    (import_declaration (identifier) @import .)
    (namespace_selectors (identifier) @import)

    (ERROR) @error
    (MISSING) @error
  `,
  types: {
    pattern: typeHeader("class", "trait", "object"),
    kinds: { class: "class", trait: "trait", object: "object" },
    hidden: C_LIKE_HIDDEN,
  },
  separator: () => ".",
  isConstructor: (name) => name === "this",
};
