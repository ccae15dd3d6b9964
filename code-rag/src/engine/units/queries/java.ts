import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import type { UnitQuery } from "../unit-query.ts";

export const java: UnitQuery = {
  query: `
    (class_declaration name: (identifier) @name body: (_) @body) @class
    (interface_declaration name: (identifier) @name body: (_) @body) @interface
    (enum_declaration name: (identifier) @name body: (_) @body) @enum
    (record_declaration name: (identifier) @name body: (_) @body) @record
    (annotation_type_declaration name: (identifier) @name body: (_) @body) @annotation
    (method_declaration name: (identifier) @name body: (block) @body) @method
    (method_declaration name: (identifier) @name !body) @method.declaration
    (annotation_type_element_declaration name: (identifier) @name) @method.declaration
    (constructor_declaration name: (identifier) @name body: (_) @body) @constructor
    (compact_constructor_declaration name: (identifier) @name body: (_) @body) @constructor

    (line_comment) @comment
    (block_comment) @comment
    (modifiers [(marker_annotation) (annotation)] @attribute)

    (field_declaration declarator: (variable_declarator name: (identifier) @define))
    (constant_declaration declarator: (variable_declarator name: (identifier) @define))
    (enum_constant name: (identifier) @define)
    (record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @define)))

    (method_invocation name: (identifier) @call)
    (object_creation_expression type: (type_identifier) @call)
    (object_creation_expression type: (generic_type (type_identifier) @call))
    (object_creation_expression type: (scoped_type_identifier (type_identifier) @call .))
    (method_reference (identifier) @call .)
    (marker_annotation name: (identifier) @call)
    (annotation name: (identifier) @call)
    (superclass (type_identifier) @extends)
    (superclass (generic_type (type_identifier) @extends))
    (super_interfaces (type_list (type_identifier) @extends))
    (super_interfaces (type_list (generic_type (type_identifier) @extends)))
    (extends_interfaces (type_list (type_identifier) @extends))
    (extends_interfaces (type_list (generic_type (type_identifier) @extends)))
    (field_declaration type: (type_identifier) @type)
    (field_declaration type: (generic_type (type_identifier) @type))
    (formal_parameter type: (type_identifier) @type)
    (formal_parameter type: (generic_type (type_identifier) @type))
    (local_variable_declaration type: (type_identifier) @type)
    (local_variable_declaration type: (generic_type (type_identifier) @type))
    (method_declaration type: (type_identifier) @type)
    (method_declaration type: (generic_type (type_identifier) @type))
    (type_arguments (type_identifier) @type)
    (import_declaration (scoped_identifier) @import)

    (ERROR) @error
    (MISSING) @error
  `,
  types: {
    pattern: typeHeader("class", "interface", "enum", "record"),
    kinds: { class: "class", interface: "interface", enum: "enum", record: "record" },
    hidden: C_LIKE_HIDDEN,
  },
  separator: () => ".",
};
