import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import type { UnitQuery } from "../unit-query.ts";

export const csharp: UnitQuery = {
  query: `
    (file_scoped_namespace_declaration name: (_) @name) @scope
    (namespace_declaration name: (_) @name body: (_) @body) @namespace
    (class_declaration name: (identifier) @name body: (_)? @body) @class
    (struct_declaration name: (identifier) @name body: (_)? @body) @struct
    (record_declaration name: (identifier) @name body: (_)? @body) @record
    (interface_declaration name: (identifier) @name body: (_)? @body) @interface
    (enum_declaration name: (identifier) @name body: (_)? @body) @enum
    (delegate_declaration name: (identifier) @name) @type
    (method_declaration name: (identifier) @name body: (_) @body) @method
    (method_declaration name: (identifier) @name !body) @method.declaration
    (constructor_declaration name: (identifier) @name body: (_) @body) @constructor
    (destructor_declaration "~" @name name: (identifier) @name body: (_) @body) @method
    (operator_declaration "operator" @name . _ @name body: (_) @body) @method
    (operator_declaration "operator" @name . _ @name !body) @method.declaration
    (conversion_operator_declaration ["explicit" "implicit"] @name type: (_) @name body: (_) @body) @method
    (indexer_declaration "this" @name [accessors: (_) value: (_)] @body) @method
    (property_declaration
      name: (identifier) @name
      accessors: (accessor_list (accessor_declaration body: (_))) @body) @method
    (local_function_statement name: (identifier) @name body: (_) @body) @function

    (comment) @comment
    (attribute_list) @attribute

    (field_declaration (variable_declaration (variable_declarator name: (identifier) @define)))
    (event_field_declaration (variable_declaration (variable_declarator name: (identifier) @define)))
    (property_declaration name: (identifier) @define)
    (enum_member_declaration name: (identifier) @define)
    (record_declaration (parameter_list (parameter name: (identifier) @define)))

    (invocation_expression function: (identifier) @call)
    (invocation_expression function: (generic_name . (identifier) @call))
    (invocation_expression function: (member_access_expression name: (identifier) @call))
    (invocation_expression function: (member_access_expression name: (generic_name . (identifier) @call)))
    (invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @call)))
    (object_creation_expression type: (identifier) @call)
    (object_creation_expression type: (generic_name . (identifier) @call))
    (object_creation_expression type: (qualified_name name: (identifier) @call))
    (attribute name: (identifier) @call)
    (base_list (identifier) @extends)
    (base_list (generic_name . (identifier) @extends))
    (base_list (qualified_name name: (identifier) @extends))
    (parameter type: (identifier) @type)
    (variable_declaration type: (identifier) @type)
    (variable_declaration type: (generic_name . (identifier) @type))
    (property_declaration type: (identifier) @type)
    (method_declaration returns: (identifier) @type)
    (type_argument_list (identifier) @type)
    (using_directive [(identifier) (qualified_name)] @import)

    (ERROR) @error
    (MISSING) @error
  `,
  types: {
    pattern: typeHeader("class", "struct", "interface", "record", "enum", "namespace"),
    kinds: {
      class: "class",
      struct: "struct",
      interface: "interface",
      record: "record",
      enum: "enum",
      namespace: "namespace",
    },
    hidden: C_LIKE_HIDDEN,
  },
  separator: () => ".",
  // `ref partial struct` has its modifiers in an order that the grammar does not know.
  mask: (text) => text.replace(/\bref(?=\s+partial\s+struct\b)/g, "   "),
  cleanName: (text) => (text === "this" ? "this[]" : text),
};
