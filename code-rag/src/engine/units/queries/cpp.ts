import { C_LIKE_HIDDEN, typeHeader } from "../lost-types.ts";
import { firstBranches } from "../masks/c-conditionals.ts";
import { withoutLoneMacros, withoutMacros } from "../masks/c-macros.ts";
import { withoutTypeArguments } from "../names.ts";
import type { UnitQuery } from "../unit-query.ts";
import { cPatterns } from "./c.ts";

const TYPE_NAME = "(_) @name";

export const cpp: UnitQuery = {
  query: `
    (field_declaration declarator: (_) @declarator) @function.declaration
    (operator_cast) @declared
    (qualified_identifier name: (operator_cast)) @declared
    (init_declarator
      declarator: (identifier) @name
      value: (lambda_expression body: (_) @body)) @function

    (class_specifier name: ${TYPE_NAME} body: (_) @body) @class
    (struct_specifier name: ${TYPE_NAME} body: (_) @body) @struct
    (union_specifier name: ${TYPE_NAME} body: (_) @body) @union
    (namespace_definition name: (_) @name body: (_) @body) @namespace
    (alias_declaration name: (type_identifier) @name) @type
    (concept_definition name: (identifier) @name) @type

    (template_declaration (_) @wrapped .) @wrapper
    (declaration type: (class_specifier body: (_)) @wrapped) @wrapper
    (declaration declarator: (init_declarator value: (lambda_expression)) @wrapped .) @wrapper

    (call_expression function: (qualified_identifier name: (identifier) @call))
    (call_expression function: (qualified_identifier name: (qualified_identifier name: (identifier) @call)))
    (call_expression function: (qualified_identifier name: (template_function name: (identifier) @call)))
    (call_expression function: (template_function name: (identifier) @call))
    (call_expression function: (field_expression field: (template_method name: (field_identifier) @call)))
    (new_expression type: (type_identifier) @call)
    (base_class_clause (type_identifier) @extends)
    (base_class_clause (qualified_identifier name: (type_identifier) @extends))
    (base_class_clause (qualified_identifier name: (template_type name: (type_identifier) @extends)))
    (base_class_clause (template_type name: (type_identifier) @extends))
    (template_type name: (type_identifier) @type)
    ${cPatterns}`,
  types: {
    pattern: typeHeader("class", "struct", "namespace"),
    kinds: { class: "class", struct: "struct", namespace: "namespace" },
    hidden: C_LIKE_HIDDEN,
  },
  separator: () => "::",
  qualifier: "::",
  isConstructor: (name, owner) => name === owner,
  cleanName: cppName,
  mask: withoutLoneMacros,
  repair: (text) => withoutMacros(firstBranches(text)),
};

/** `Buf<T>::Buf` → `Buf::Buf`; operators keep their signs: `operator+=`, `operator<<`, `operator bool`. */
function cppName(text: string): string {
  const operator = /^(.*?)\boperator\b\s*(.*)$/.exec(text);
  if (!operator) return withoutTypeArguments(text).replace(/\s*(::|~)\s*/g, "$1");
  const [, scope, rest] = operator as unknown as [string, string, string];
  const prefix = withoutTypeArguments(scope).replace(/\s+/g, "");
  // A conversion is captured with its parameter list: `operator bool() const`.
  const isWord = /^\w/.test(rest);
  return isWord ? `${prefix}operator ${rest.replace(/\s*\(.*$/, "")}` : `${prefix}operator${rest.replace(/\s+/g, "")}`;
}
