import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import type { UnitQuery } from "../unit-query.ts";

export const php: UnitQuery = {
  query: `
    (namespace_definition name: (_) @name !body) @scope
    (namespace_definition name: (_) @name body: (_) @body) @namespace
    (class_declaration name: (_) @name body: (_) @body) @class
    (interface_declaration name: (_) @name body: (_) @body) @interface
    (trait_declaration name: (_) @name body: (_) @body) @trait
    (enum_declaration name: (_) @name body: (_) @body) @enum
    (function_definition name: (_) @name body: (_) @body) @function
    (method_declaration name: (_) @name body: (_) @body) @method
    (method_declaration name: (_) @name !body) @method.declaration
    (assignment_expression
      left: (variable_name) @name
      right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]) @function

    (expression_statement . (assignment_expression) @wrapped .) @wrapper
    (comment) @comment
    (attribute_list) @attribute

    (const_element . (name) @define)
    (enum_case name: (name) @define)
    (property_element name: (variable_name (name) @define))
    (property_promotion_parameter name: (variable_name (name) @define))

    (function_call_expression function: (name) @call)
    (function_call_expression function: (qualified_name (name) @call))
    (member_call_expression name: (name) @call)
    (nullsafe_member_call_expression name: (name) @call)
    (scoped_call_expression name: (name) @call)
    (scoped_call_expression scope: (name) @type)
    (object_creation_expression (name) @call)
    (object_creation_expression (qualified_name (name) @call))
    (base_clause (name) @extends)
    (base_clause (qualified_name (name) @extends))
    (class_interface_clause (name) @extends)
    (class_interface_clause (qualified_name (name) @extends))
    (use_declaration (name) @extends)
    (use_declaration (qualified_name (name) @extends))
    (named_type (name) @type)
    (named_type (qualified_name (name) @type))
    (namespace_use_clause (name) @import)
    (namespace_use_clause (qualified_name) @import)
    (require_expression (string) @import)
    (require_once_expression (string) @import)
    (include_expression (string) @import)
    (include_once_expression (string) @import)

    (ERROR) @error
    (MISSING) @error
  `,
  types: {
    pattern: typeHeader("class", "interface", "trait", "enum"),
    kinds: { class: "class", interface: "interface", trait: "trait", enum: "enum" },
    hidden: C_LIKE_HIDDEN,
  },
  separator: (outer) => (outer === "namespace" ? "\\" : "."),
  isConstructor: (name) => name === "__construct",
  cleanName: (text) => text.replace(/^\$/, ""),
};
