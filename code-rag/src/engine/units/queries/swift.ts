import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import { swiftMask } from "../masks/swift.ts";
import { withoutTypeArguments } from "../names.ts";
import type { UnitQuery } from "../unit-query.ts";

/** One node type serves all kinds of types; the keyword tells them apart. */
export const swift: UnitQuery = {
  query: `
    (class_declaration "class" name: (_) @name body: (_) @body) @class
    (class_declaration "struct" name: (_) @name body: (_) @body) @struct
    (class_declaration "enum" name: (_) @name body: (_) @body) @enum
    (class_declaration "actor" name: (_) @name body: (_) @body) @actor
    (class_declaration "extension" name: (_) @name body: (_) @body) @extension
    (protocol_declaration name: (_) @name body: (_) @body) @interface
    (typealias_declaration . (type_identifier) @name) @type
    (function_declaration [(simple_identifier) "init"] @name) @function
    (function_body) @body
    (deinit_declaration "deinit" @name) @method
    (subscript_declaration "subscript" @name (computed_property) @body) @method
    (protocol_function_declaration [(simple_identifier) "init"] @name) @method.declaration
    (property_declaration
      name: (pattern bound_identifier: (simple_identifier) @name)
      value: (lambda_literal) @body) @function

    (comment) @comment
    (multiline_comment) @comment
    (modifiers (attribute) @attribute)

    (property_declaration name: (pattern bound_identifier: (simple_identifier) @define))
    (protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @define))
    (enum_entry name: (simple_identifier) @define)
    (associatedtype_declaration name: (type_identifier) @define)

    (call_expression . (simple_identifier) @call)
    (call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)))
    (inheritance_specifier inherits_from: (user_type (type_identifier) @extends .))
    (user_type (type_identifier) @type)
    (import_declaration (identifier) @import)

    (ERROR) @error
    (MISSING) @error
  `,
  types: {
    pattern: typeHeader("class", "struct", "enum", "actor", "extension", "protocol"),
    kinds: {
      class: "class",
      struct: "struct",
      enum: "enum",
      actor: "actor",
      extension: "extension",
      protocol: "interface",
    },
    hidden: C_LIKE_HIDDEN,
  },
  separator: () => ".",
  isConstructor: (name) => name === "init",
  mask: swiftMask,
  cleanName: withoutTypeArguments,
};
