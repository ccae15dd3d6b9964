import { firstBranches } from "../masks/c-conditionals.ts";
import { withoutLoneMacros, withoutMacros } from "../masks/c-macros.ts";
import type { UnitQuery } from "../unit-query.ts";

/** Patterns that hold for C++ as well. */
export const cPatterns = `
    (function_definition declarator: (_) @declarator body: (_)? @body) @function
    (declaration declarator: (_) @declarator) @function.declaration
    (function_declarator declarator: (_) @declared)

    (preproc_function_def name: (identifier) @name) @macro
    (preproc_def name: (identifier) @define)

    (type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @struct
    (type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @union
    (type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @enum
    (type_definition type: (struct_specifier name: (_) body: (_)) @wrapped) @wrapper
    (type_definition type: (union_specifier name: (_) body: (_)) @wrapped) @wrapper
    (type_definition type: (enum_specifier name: (_) body: (_)) @wrapped) @wrapper
    (type_definition type: (_ name: (_) body: (_)) declarator: (type_identifier) @define)
    (type_definition type: (struct_specifier !body) declarator: (type_identifier) @name) @type
    (type_definition
      type: [(primitive_type) (sized_type_specifier) (type_identifier)]
      declarator: (type_identifier) @name) @type
    (type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @type
    (type_definition
      declarator: (function_declarator
        declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @type
    (type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @type
    (declaration type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] @wrapped) @wrapper
    (enum_specifier name: (_) @name body: (_) @body) @enum

    (comment) @comment

    (translation_unit (declaration declarator: (identifier) @define))
    (translation_unit (declaration declarator: (init_declarator declarator: (identifier) @define)))
    (translation_unit (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @define))))
    (translation_unit (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @define))))
    (translation_unit (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @define)))))
    (field_declaration declarator: (field_identifier) @define)
    (field_declaration declarator: (pointer_declarator declarator: (field_identifier) @define))
    (field_declaration declarator: (array_declarator declarator: (field_identifier) @define))
    (field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @define))))
    (enumerator name: (identifier) @define)

    (call_expression function: (identifier) @call)
    (call_expression function: (field_expression field: (field_identifier) @call))
    (preproc_include path: (_) @import)
    (parameter_declaration type: (type_identifier) @type)
    (declaration type: (type_identifier) @type)
    (field_declaration type: (type_identifier) @type)
    (struct_specifier name: (type_identifier) @type !body)

    (ERROR) @error
    (MISSING) @error
`;

export const c: UnitQuery = {
  query: `
    (struct_specifier name: (_) @name body: (_) @body) @struct
    (union_specifier name: (_) @name body: (_) @body) @union
    ${cPatterns}`,
  separator: () => ".",
  mask: withoutLoneMacros,
  repair: (text) => withoutMacros(firstBranches(text)),
};
