import type { UnitQuery } from "../unit-query.ts";

/** What is bound in a `where` or `let` belongs to its function; a signature is the first clause of what it is for. */
export const haskell: UnitQuery = {
  query: `
    (header module: (module) @name) @scope

    (data_type name: (_) @name) @type
    (newtype name: (_) @name) @type
    (type_synomym name: (_) @name) @type
    (type_family name: (_) @name) @type
    (class name: (_) @name declarations: (_)? @body) @trait
    (instance name: (_) @implements patterns: (_) @name declarations: (_)? @body) @impl
    (declarations (signature name: (_) @name) @function.declaration)
    (declarations (function name: (_) @name match: (_) @body) @function)
    (declarations (function (infix operator: (_) @name) match: (_) @body) @function)
    (declarations (bind name: (_) @name match: (_) @body) @function)
    (class_declarations (signature name: (_) @name) @function.declaration)
    (class_declarations (function name: (_) @name match: (_) @body) @function)
    (class_declarations (bind name: (_) @name match: (_) @body) @function)
    (instance_declarations (function name: (_) @name match: (_) @body) @function)
    (instance_declarations (function (infix operator: (_) @name) match: (_) @body) @function)
    (instance_declarations (bind name: (_) @name match: (_) @body) @function)

    (comment) @comment
    (haddock) @comment
    (pragma) @attribute

    (data_constructor constructor: (_ name: (_) @define))
    (newtype_constructor name: (_) @define)
    (gadt_constructor name: (_) @define)
    (field name: (_) @define)

    (apply function: (variable) @call)
    (apply function: (qualified id: (variable) @call))
    (apply function: (constructor) @call)
    (infix operator: (infix_id (variable) @call))
    (signature type: (name) @type)
    (function parameter: (name) @type)
    (function result: (name) @type)
    (apply constructor: (name) @type)
    (apply argument: (name) @type)
    (import module: (module) @import)

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
  clauses: true,
  // Of `(Cart a)` the type, and of `(<+>)` the operator.
  cleanName: (text) =>
    text
      .replace(/^\((.*)\)$/, "$1")
      .replace(/^`|`$/g, "")
      .replace(/(?<=\w) .*/, ""),
};
