import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import { kotlinMask, kotlinRepair } from "../masks/kotlin.ts";
import type { UnitQuery } from "../unit-query.ts";

export const kotlin: UnitQuery = {
  query: `
    (class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @enum
    (class_declaration "interface" (type_identifier) @name (class_body)? @body) @interface
    (class_declaration
      (modifiers (class_modifier) @_modifier)
      (type_identifier) @name
      (#eq? @_modifier "annotation")) @annotation
    (class_declaration "class" (type_identifier) @name (class_body)? @body) @class
    (object_declaration (type_identifier) @name (class_body)? @body) @object
    (type_alias (type_identifier) @name) @type
    (function_declaration (simple_identifier) @name (function_body) @body) @function
    (function_declaration (simple_identifier) @name) @function.declaration
    (secondary_constructor "constructor" @name (statements)? @body) @constructor
    (property_declaration
      (variable_declaration (simple_identifier) @name)
      [(lambda_literal) (anonymous_function)] @body) @function

    (line_comment) @comment
    (multiline_comment) @comment
    (modifiers (annotation) @attribute)

    (property_declaration (variable_declaration (simple_identifier) @define))
    (class_parameter (binding_pattern_kind) (simple_identifier) @define)
    (enum_entry (simple_identifier) @define)

    (call_expression . (simple_identifier) @call)
    (call_expression . (navigation_expression (navigation_suffix (simple_identifier) @call) .))
    (constructor_invocation (user_type (type_identifier) @call .))
    (delegation_specifier (user_type (type_identifier) @extends .))
    (delegation_specifier (constructor_invocation (user_type (type_identifier) @extends .)))
    (parameter (user_type (type_identifier) @type .))
    (class_parameter (user_type (type_identifier) @type .))
    (variable_declaration (user_type (type_identifier) @type .))
    (nullable_type (user_type (type_identifier) @type .))
    (type_projection (user_type (type_identifier) @type .))
    (import_header (identifier) @import)

    (ERROR) @error
    (MISSING) @error
  `,
  types: {
    pattern: typeHeader("class", "interface", "object"),
    kinds: { class: "class", interface: "interface", object: "object" },
    hidden: C_LIKE_HIDDEN,
  },
  separator: () => ".",
  mask: kotlinMask,
  repair: kotlinRepair,
};
