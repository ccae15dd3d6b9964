import type { UnitQuery } from "../unit-query.ts";

export const go: UnitQuery = {
  query: `
    (function_declaration name: (identifier) @name body: (block) @body) @function
    (function_declaration name: (identifier) @name !body) @function.declaration
    (method_declaration
      receiver: (parameter_list (parameter_declaration
        type: [
          (type_identifier) @owner
          (generic_type type: (type_identifier) @owner)
          (pointer_type (type_identifier) @owner)
          (pointer_type (generic_type type: (type_identifier) @owner))
        ]))
      name: (field_identifier) @name
      body: (block)? @body) @method
    (var_spec
      name: (identifier) @name
      value: (expression_list . (func_literal body: (block) @body) .)) @function
    (short_var_declaration
      left: (expression_list . (identifier) @name .)
      right: (expression_list . (func_literal body: (block) @body) .)) @function

    (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @struct
    (type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @interface
    (type_spec
      name: (type_identifier) @name
      type: [
        (array_type) (channel_type) (function_type) (generic_type) (map_type) (parenthesized_type) (pointer_type)
        (qualified_type) (slice_type) (type_identifier)
      ]) @type
    (type_alias name: (type_identifier) @name) @type
    (method_elem name: (field_identifier) @name) @method.declaration

    (type_declaration . [(type_spec) (type_alias)] @wrapped .) @wrapper
    (var_declaration . (var_spec) @wrapped .) @wrapper
    (comment) @comment

    (source_file (const_declaration (const_spec name: (identifier) @define)))
    (source_file (var_declaration (var_spec name: (identifier) @define)))
    (source_file (var_declaration (var_spec_list (var_spec name: (identifier) @define))))
    (field_declaration name: (field_identifier) @define)

    (call_expression function: (identifier) @call)
    (call_expression function: (selector_expression field: (field_identifier) @call))
    (call_expression function: (parenthesized_expression (identifier) @call))
    (composite_literal type: (type_identifier) @call)
    (composite_literal type: (qualified_type name: (type_identifier) @call))
    (field_declaration !name type: (type_identifier) @extends)
    (field_declaration !name type: (qualified_type name: (type_identifier) @extends))
    (interface_type (type_elem (type_identifier) @extends))
    (interface_type (type_elem (qualified_type name: (type_identifier) @extends)))
    (parameter_declaration type: (type_identifier) @type)
    (pointer_type (type_identifier) @type)
    (slice_type element: (type_identifier) @type)
    (qualified_type name: (type_identifier) @type)
    (import_spec path: (interpreted_string_literal) @import)

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
};
