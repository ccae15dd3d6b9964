import { withoutHeredocs } from "../masks/ruby-heredocs.ts";
import type { UnitQuery } from "../unit-query.ts";

export const ruby: UnitQuery = {
  query: `
    (class name: (_) @name body: (_)? @body) @class
    (module name: (_) @name body: (_)? @body) @module
    (method name: (_) @name body: (_)? @body) @function
    (singleton_method name: (_) @name body: (_)? @body) @function
    (assignment
      left: (constant) @name
      right: (call
        receiver: (constant) @_factory
        method: (identifier) @_method
        block: (_)? @body)
      (#match? @_factory "^(Struct|Class|Data)$")
      (#match? @_method "^(new|define)$")) @class
    (assignment
      left: [(identifier) (constant)] @name
      right: (call method: (identifier) @_lambda block: (_)) @body
      (#match? @_lambda "^(lambda|proc)$")) @function
    (assignment left: [(identifier) (constant)] @name right: (lambda) @body) @function
    (call
      method: (identifier) @_define
      arguments: (argument_list . (simple_symbol) @name)
      block: (_) @body
      (#eq? @_define "define_method")) @function

    (call arguments: (argument_list . [(method) (singleton_method)] @wrapped .)) @wrapper
    (comment) @comment

    (assignment left: (constant) @define)
    (call
      method: (identifier) @_attribute
      arguments: (argument_list (simple_symbol) @define)
      (#match? @_attribute "^(attr_(reader|writer|accessor)|alias_method|scope|belongs_to|has_many|has_one)$"))

    (call method: (_) @call)
    (superclass (constant) @extends)
    (superclass (scope_resolution name: (constant) @extends))
    (call
      method: (identifier) @_mixin
      arguments: (argument_list [(constant) @extends (scope_resolution name: (constant) @extends)])
      (#match? @_mixin "^(include|extend|prepend)$"))
    (call
      method: (identifier) @_require
      arguments: (argument_list (string) @import)
      (#match? @_require "^(require|require_relative|load|autoload)$"))
    (call receiver: (constant) @type)
    (call receiver: (scope_resolution name: (constant) @type))

    (ERROR) @error
    (MISSING) @error
  `,
  separator: (_, inner) => (inner === "class" || inner === "module" ? "::" : "."),
  qualifier: "::",
  moduleIsType: true,
  isConstructor: (name) => name === "initialize",
  cleanName: (text) => text.replace(/^::|^:"?|"$/g, ""),
  repair: withoutHeredocs,
};
