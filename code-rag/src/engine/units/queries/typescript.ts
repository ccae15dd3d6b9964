import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import type { UnitQuery } from "../unit-query.ts";
import { javascriptPatterns, jsxPatterns } from "./javascript.ts";

const typescriptPatterns = `
    (abstract_class_declaration name: (_) @name body: (_) @body) @class
    (interface_declaration name: (_) @name body: (_) @body) @interface
    (enum_declaration name: (_) @name body: (_) @body) @enum
    (type_alias_declaration name: (_) @name value: (_) @body) @type
    (internal_module name: (_) @name body: (_) @body) @namespace
    (module name: (_) @name body: (_) @body) @namespace

    (function_signature name: (_) @name) @function.declaration
    (method_signature name: (_) @name) @method.declaration
    (abstract_method_signature name: (_) @name) @method.declaration
    (public_field_definition
      name: (_) @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method

    (ambient_declaration "global" @name (statement_block) @body) @namespace
    (export_statement
      "default" @name
      value: [(satisfies_expression . (object) @body) (as_expression . (object) @body)]) @object
    (variable_declarator
      name: (identifier) @name
      value: [
        (satisfies_expression . (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]) @body)
        (as_expression . (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]) @body)
      ]) @object

    (ambient_declaration (_) @wrapped .) @wrapper
    (expression_statement . (internal_module) @wrapped .) @wrapper

    (public_field_definition name: (_) @define)
    (property_signature name: (_) @define)
    (enum_body name: (_) @define)
    (enum_assignment name: (_) @define)

    (extends_clause value: (identifier) @extends)
    (extends_clause value: (member_expression property: (_) @extends))
    (implements_clause (type_identifier) @extends)
    (implements_clause (generic_type name: (type_identifier) @extends))
    (extends_type_clause (type_identifier) @extends)
    (extends_type_clause (generic_type name: (type_identifier) @extends))
    (type_annotation (type_identifier) @type)
    (type_annotation (generic_type name: (type_identifier) @type))
    (type_arguments (type_identifier) @type)
`;

const base: Omit<UnitQuery, "query"> = {
  types: {
    pattern: typeHeader("class", "interface", "namespace", "enum"),
    kinds: { class: "class", interface: "interface", namespace: "namespace", enum: "enum" },
    hidden: C_LIKE_HIDDEN,
  },
  separator: () => ".",
  isConstructor: (name) => name === "constructor",
};

export const typescript: UnitQuery = { ...base, query: javascriptPatterns + typescriptPatterns };
export const tsx: UnitQuery = { ...base, query: javascriptPatterns + typescriptPatterns + jsxPatterns };
