import { docFromString } from "../doc-comment.ts";
import type { UnitQuery } from "../unit-query.ts";

/** Everything is a call: `defmodule` and `def` are told by their names. */
export const elixir: UnitQuery = {
  query: `
    (call
      target: (identifier) @_def
      (arguments . (alias) @name)
      (do_block) @body
      (#eq? @_def "defmodule")) @module
    (call
      target: (identifier) @_def
      (arguments . (alias) @name)
      (do_block (unary_operator
        operand: (call target: (identifier) @_moduledoc (arguments [(string) (sigil)] @doc)))) @body
      (#eq? @_def "defmodule")
      (#eq? @_moduledoc "moduledoc")) @module
    (call
      target: (identifier) @_def
      (arguments . (alias) @name)
      (do_block (unary_operator
        operand: (call target: (identifier) @_moduledoc (arguments [(string) (sigil)] @doc)))) @body
      (#eq? @_def "defprotocol")
      (#eq? @_moduledoc "moduledoc")) @interface
    (call
      target: (identifier) @_def
      (arguments . (alias) @name)
      (do_block) @body
      (#eq? @_def "defprotocol")) @interface
    (call
      target: (identifier) @_def
      (arguments . (alias) @implements (keywords (pair key: (keyword) @_for value: (_) @name)))
      (do_block) @body
      (#eq? @_def "defimpl")
      (#match? @_for "^for:")) @impl
    (call
      target: (identifier) @_def
      (arguments . [
        (identifier) @name
        (call target: (identifier) @name)
        (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
      ])
      (do_block)? @body
      (#match? @_def "^(def|defp|defdelegate|defguard|defguardp|defn|defnp)$")) @function
    (call
      target: (identifier) @_def
      (arguments . [
        (identifier) @name
        (call target: (identifier) @name)
        (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
      ])
      (do_block)? @body
      (#match? @_def "^(defmacro|defmacrop)$")) @macro
    (call
      target: (identifier) @_test
      (arguments . (string) @name)
      (do_block) @body
      (#eq? @_test "test")) @function
    (unary_operator
      operand: (call
        target: (identifier) @_type
        (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))
      (#match? @_type "^(type|typep|opaque)$")) @type
    (unary_operator
      operand: (call
        target: (identifier) @_callback
        (arguments (binary_operator left: (call target: (identifier) @name))))
      (#match? @_callback "^(callback|macrocallback)$")) @function.declaration

    (comment) @comment
    (unary_operator
      operand: (call target: (identifier) @_attribute)
      (#match? @_attribute "^(doc|typedoc|spec|impl|deprecated|dialyzer|tag)$")) @attribute

    (unary_operator
      operand: (call target: (identifier) @define)
      (#not-match? @define "^(doc|moduledoc|typedoc|spec|impl|deprecated|dialyzer|tag|moduletag|type|typep|opaque|callback|macrocallback|behaviour|derive)$"))
    (call
      target: (identifier) @_fields
      (arguments (keywords (pair key: (keyword) @define)))
      (#match? @_fields "^(defstruct|defexception)$"))
    (call
      target: (identifier) @_fields
      (arguments (list (atom) @define))
      (#match? @_fields "^(defstruct|defexception)$"))
    (call
      target: (identifier) @_field
      (arguments . (atom) @define)
      (#match? @_field "^(field|belongs_to|has_many|has_one|embeds_one|embeds_many)$"))

    (call
      target: (identifier) @call
      (#not-match? @call "^(def[a-z]*|alias|import|require|use|quote|if|case|cond|for|with|unless|test|describe|doc|moduledoc|typedoc|spec|type|typep|callback|behaviour|impl)$"))
    (call target: (dot right: (identifier) @call) (arguments))
    (dot left: (alias) @type)
    (struct (alias) @type)
    (call
      target: (identifier) @_import
      (arguments . [(alias) (dot)] @import)
      (#match? @_import "^(alias|import|require|use)$"))
    (call
      target: (identifier) @_use
      (arguments . (alias) @extends)
      (#eq? @_use "use"))
    (unary_operator
      operand: (call target: (identifier) @_behaviour (arguments . (alias) @extends))
      (#eq? @_behaviour "behaviour"))

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
  qualifier: ".",
  clauses: true,
  cleanName: (text) => text.replace(/^"(.*)"$/, "$1").replace(/^:|:$/g, ""),
  docOfAttribute: (text) => {
    const [, written] = /^@(?:doc|typedoc)\s+(?:~[sS])?("[\s\S]*)$/.exec(text) ?? [];
    return written === undefined ? "" : docFromString(written);
  },
};
