import type { UnitQuery } from "../unit-query.ts";

export const python: UnitQuery = {
  query: `
    (function_definition
      name: (identifier) @name
      body: (block . (expression_statement . (string) @doc)? ) @body) @function
    (class_definition
      name: (identifier) @name
      body: (block . (expression_statement . (string) @doc)? ) @body) @class
    (expression_statement
      (assignment left: (identifier) @name right: (lambda body: (_) @body))) @function
    (type_alias_statement left: (type (identifier) @name)) @type
    (type_alias_statement left: (type (generic_type (identifier) @name))) @type

    (decorated_definition definition: (_) @wrapped) @wrapper
    (decorator) @attribute
    (comment) @comment

    (module (expression_statement (assignment left: (identifier) @define)))
    (class_definition body: (block (expression_statement (assignment left: (identifier) @define))))

    (call function: (identifier) @call)
    (call function: (attribute attribute: (identifier) @call))
    (decorator (identifier) @call)
    (decorator (attribute attribute: (identifier) @call))
    (class_definition superclasses: (argument_list (identifier) @extends))
    (class_definition superclasses: (argument_list (attribute attribute: (identifier) @extends)))
    (type (identifier) @type)
    (type (generic_type (identifier) @type))
    (type (subscript value: (identifier) @type))
    (import_statement name: (dotted_name) @import)
    (import_statement name: (aliased_import name: (dotted_name) @import))
    (import_from_statement module_name: (_) @import)
    (import_from_statement name: (dotted_name) @import)
    (import_from_statement name: (aliased_import name: (dotted_name) @import))

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
  isConstructor: (name) => name === "__init__",
  headers: {
    pattern: /^(?:@.*\r?\n)*(?:async[ \t]+)?(?<keyword>def|class)[ \t]+(?<name>\w+)/gm,
    kinds: { def: "function", class: "class" },
    hidden: /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#.*/g,
  },
};
