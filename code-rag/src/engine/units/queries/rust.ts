import { withoutTypeArguments } from "../names.ts";
import type { UnitQuery } from "../unit-query.ts";

export const rust: UnitQuery = {
  query: `
    (function_item name: (identifier) @name body: (block) @body) @function
    (function_signature_item name: (identifier) @name) @function.declaration
    (struct_item name: (type_identifier) @name body: (field_declaration_list)? @body) @struct
    (enum_item name: (type_identifier) @name body: (_) @body) @enum
    (union_item name: (type_identifier) @name body: (_) @body) @union
    (trait_item name: (type_identifier) @name body: (_) @body) @trait
    (impl_item !trait type: (_) @name body: (_) @body) @impl
    (impl_item trait: (_) @implements type: (_) @name body: (_) @body) @impl
    (mod_item name: (identifier) @name body: (_) @body) @module
    (type_item name: (type_identifier) @name) @type
    (macro_definition name: (identifier) @name) @macro
    (let_declaration
      pattern: (identifier) @name
      value: (closure_expression body: (_) @body)) @function

    (line_comment !inner) @comment
    (block_comment !inner) @comment
    (attribute_item) @attribute

    (const_item name: (identifier) @define)
    (static_item name: (identifier) @define)
    (field_declaration name: (field_identifier) @define)
    (enum_variant name: (identifier) @define)
    (associated_type name: (type_identifier) @define)

    (call_expression function: (identifier) @call)
    (call_expression function: (field_expression field: (field_identifier) @call))
    (call_expression function: (scoped_identifier name: (identifier) @call))
    (call_expression function: (generic_function function: (identifier) @call))
    (call_expression function: (generic_function function: (scoped_identifier name: (identifier) @call)))
    (call_expression function: (generic_function function: (field_expression field: (field_identifier) @call)))
    (macro_invocation macro: (identifier) @call)
    (macro_invocation macro: (scoped_identifier name: (identifier) @call))
    (struct_expression name: (type_identifier) @call)
    (struct_expression name: (scoped_type_identifier name: (type_identifier) @call))
    (impl_item trait: (type_identifier) @extends)
    (impl_item trait: (generic_type type: (type_identifier) @extends))
    (impl_item trait: (scoped_type_identifier name: (type_identifier) @extends))
    (trait_bounds (type_identifier) @extends)
    (parameter type: (type_identifier) @type)
    (reference_type type: (type_identifier) @type)
    (generic_type type: (type_identifier) @type)
    (type_arguments (type_identifier) @type)
    (field_declaration type: (type_identifier) @type)
    (function_item return_type: (type_identifier) @type)
    (use_declaration argument: (scoped_identifier) @import)
    (use_declaration argument: (identifier) @import)
    (use_list (identifier) @import)
    (use_list (scoped_identifier) @import)
    (use_as_clause path: (_) @import)
    (scoped_use_list path: (_) @import)

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
  cleanName: (name) => withoutTypeArguments(name).replace(/^(?:\w+::)+(?=\w+$)/, ""),
};
