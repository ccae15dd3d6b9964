/**
 * What a language brings: a query that finds its declarations, and the few facts that a query cannot say.
 *
 * Captures, the same in every language file:
 *
 * | Capture | Meaning |
 * |---|---|
 * | `@function`, `@class`, … (a `UnitKind`) | the node that is the declaration |
 * | `@function.declaration`, … | the same, without a body: prototype, abstract or interface member |
 * | `@member` | a function that counts (as a method) only directly inside a type or an object |
 * | `@name` | its name; of several, the text from the first to the last (`operator +`) |
 * | `@declarator` | instead of a name: the C declarator around it (`*(*f(int))(int)`), which nests without bound |
| `@declared` | what a function declarator declares: the first in the range of a `@declarator` is the name there |
| `@owner` | the type that it belongs to, where that is not the unit around it (Go receiver) |
 * | `@implements` | what an `impl` implements: the name becomes `Trait for Name` |
 * | `@body` | where the signature ends; alone, it is the body of the declaration that ends with it |
 * | `@doc` | a docstring inside the declaration |
 * | `@wrapper` with `@wrapped` | the wrapper's range (decorators, `export`, `template <…>`) is the declaration's range |
 * | `@comment`, `@attribute` | belong to the declaration right below them; only comments are documentation |
 * | `@call`, `@import`, `@extends`, `@type` | a reference |
 * | `@define` | a further name that is bound here: constant, field, enum member |
 * | `@scope` | a declaration whose scope runs to the end of the file (`namespace Geo;`), with `@name` |
 * | `@error` | an ERROR or MISSING node |
 *
 * Captures that begin with `_` serve predicates only. Where several patterns match one name, the ranges are united.
 */

import type { UnitKind } from "./unit.ts";

export interface UnitQuery {
  /** The tree-sitter query. */
  readonly query: string;
  /** What stands between the name of a unit and that of a unit inside it. */
  readonly separator: (outer: UnitKind, inner: UnitKind) => string;
  /** What separates the parts of a qualified name in `@name` (`Reader::read`): all but the last become the owner. */
  readonly qualifier?: string;
  /** A `module` has methods, like a type (Ruby). */
  readonly moduleIsType?: true;
  /** Whether a method of this name is a constructor of the type `owner`. */
  readonly isConstructor?: (name: string, owner: string) => boolean;
  /** Declarations of one name that follow each other are one: clauses of a function, with its signature. */
  readonly clauses?: true;
  /** What an `@attribute` says about the declaration below it (Elixir's `@doc`); empty if nothing. */
  readonly docOfAttribute?: (text: string) => string;
  /** Makes a name out of the text of `@name`, white space already collapsed. */
  readonly cleanName?: (text: string) => string;
  /**
   * Rewrites what the grammar is known to misread. The result has the same length, and is only parsed: names, lines
   * and bodies are read from the original.
   */
  readonly mask?: (text: string) => string;
  /** A second mask, tried where the first tree has errors, and kept if it makes them fewer. */
  readonly repair?: (text: string) => string;
  /** Where to go on after a definition that no grammar can read. */
  readonly headers?: Headers;
  /** Types with braces, for those that the tree has lost to an error inside them. */
  readonly types?: Headers;
}

/** How to find declarations without a syntax tree. */
export interface Headers {
  /** Flags `gm`; groups `keyword` and `name`. */
  readonly pattern: RegExp;
  readonly kinds: Readonly<Record<string, UnitKind>>;
  /** Strings and comments, which may look like headers inside. Flag `g`. */
  readonly hidden: RegExp;
}
