import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import type { UnitQuery } from "../unit-query.ts";

/** Wrappers whose argument is the function that is bound: `const Row = memo((props) => …)`. */
const FUNCTION_WRAPPERS = "^(React[.])?(memo|forwardRef|useCallback|debounce|throttle|once|observer)$";

/** Patterns that hold for TypeScript as well. */
export const javascriptPatterns = `
    (function_declaration name: (_) @name body: (_) @body) @function
    (generator_function_declaration name: (_) @name body: (_) @body) @function
    (variable_declarator
      name: (identifier) @name
      value: [
        (arrow_function body: (_) @body)
        (function_expression body: (_) @body)
        (generator_function body: (_) @body)
      ]) @function
    (variable_declarator
      name: (identifier) @name
      value: (call_expression
        function: _ @_wrapper
        arguments: (arguments . [
          (arrow_function body: (_) @body)
          (function_expression body: (_) @body)
        ]))
      (#match? @_wrapper "${FUNCTION_WRAPPERS}")) @function

    (assignment_expression
      left: (member_expression property: (property_identifier) @name) @_left
      right: [
        (arrow_function body: (_) @body)
        (function_expression body: (_) @body)
        (generator_function body: (_) @body)
      ]
      (#match? @_left "^(exports|module[.]exports|window|global|globalThis|self|this)[.][^.]+$")) @function
    (assignment_expression
      left: (member_expression object: (_) @owner property: (property_identifier) @name)
      right: [
        (arrow_function body: (_) @body)
        (function_expression body: (_) @body)
        (generator_function body: (_) @body)
      ]
      (#not-match? @owner "(^|[.])(exports|prototype|window|global|globalThis|self|this|module)$")) @function
    (assignment_expression
      left: (member_expression
        object: (member_expression object: (_) @owner property: (property_identifier) @_prototype)
        property: (property_identifier) @name)
      right: [
        (arrow_function body: (_) @body)
        (function_expression body: (_) @body)
        (generator_function body: (_) @body)
      ]
      (#eq? @_prototype "prototype")) @method
    (assignment_expression
      left: (member_expression) @name
      right: [
        (arrow_function body: (_) @body)
        (function_expression body: (_) @body)
        (generator_function body: (_) @body)
      ]
      (#eq? @name "module.exports")) @function
    (assignment_expression
      left: (member_expression) @name
      right: (class body: (_) @body)
      (#eq? @name "module.exports")) @class
    (assignment_expression
      left: [(identifier) (member_expression)] @name
      right: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]) @body) @object

    (export_statement
      "default" @name
      value: [(arrow_function body: (_) @body) (function_expression !name body: (_) @body)]) @function
    (export_statement "default" @name value: (class !name body: (_) @body)) @class
    (export_statement "default" value: (class name: (_) @name body: (_) @body)) @class
    (export_statement "default" @name value: (object) @body) @object
    (export_statement
      "default" @name
      value: (call_expression arguments: (arguments (object) @body))) @object

    (variable_declarator
      name: (identifier) @name
      value: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]) @body) @object
    (pair
      key: (property_identifier) @name
      value: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]) @body) @object
    (pair
      key: [(property_identifier) (string)] @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @member

    (class_declaration name: (_) @name body: (_) @body) @class
    (variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
    (method_definition name: (_) @name body: (_) @body) @method

    (lexical_declaration . (variable_declarator) @wrapped .) @wrapper
    (variable_declaration . (variable_declarator) @wrapped .) @wrapper
    (expression_statement . (assignment_expression) @wrapped .) @wrapper
    (export_statement declaration: (_) @wrapped) @wrapper
    (comment) @comment
    (decorator) @attribute

    (program (lexical_declaration (variable_declarator name: (identifier) @define)))
    (program (export_statement (lexical_declaration (variable_declarator name: (identifier) @define))))
    (program (variable_declaration (variable_declarator name: (identifier) @define)))
    (assignment_expression
      left: (member_expression object: (_) @_exports property: (property_identifier) @define)
      (#match? @_exports "^(module[.])?exports$"))

    (call_expression function: (identifier) @call)
    (call_expression function: (member_expression property: (_) @call))
    (new_expression constructor: (identifier) @call)
    (new_expression constructor: (member_expression property: (_) @call))
    (import_statement source: (string) @import)
    (import_specifier name: (identifier) @import)
    (import_clause (identifier) @import)
    (export_statement source: (string) @import)
    (call_expression
      function: [(identifier) (import)] @_loader
      arguments: (arguments . (string) @import)
      (#match? @_loader "^(require|import)$"))

    (ERROR) @error
    (MISSING) @error
`;

/** Only in the JavaScript grammar; TypeScript has its own names for these. */
const javascriptOnly = `
    (field_definition
      property: (_) @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
    (field_definition property: (_) @define)
    (class_heritage (identifier) @extends)
    (class_heritage (member_expression property: (_) @extends))
`;

export const jsxPatterns = `
    (jsx_opening_element name: (identifier) @call (#match? @call "^[A-Z]"))
    (jsx_self_closing_element name: (identifier) @call (#match? @call "^[A-Z]"))
`;

export const javascript: UnitQuery = {
  query: javascriptPatterns + javascriptOnly + jsxPatterns,
  types: {
    pattern: typeHeader("class"),
    kinds: { class: "class" },
    hidden: C_LIKE_HIDDEN,
  },
  separator: () => ".",
  isConstructor: (name) => name === "constructor",
};
