/** The unit query of each grammar. */

import type { Grammar } from "../languages.ts";
import type { UnitQuery } from "../unit-query.ts";
import { bash } from "./bash.ts";
import { c } from "./c.ts";
import { cpp } from "./cpp.ts";
import { csharp } from "./csharp.ts";
import { elixir } from "./elixir.ts";
import { go } from "./go.ts";
import { haskell } from "./haskell.ts";
import { hcl } from "./hcl.ts";
import { java } from "./java.ts";
import { javascript } from "./javascript.ts";
import { kotlin } from "./kotlin.ts";
import { lua } from "./lua.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import { scala } from "./scala.ts";
import { swift } from "./swift.ts";
import { tsx, typescript } from "./typescript.ts";
import { zig } from "./zig.ts";

export const UNIT_QUERIES: Readonly<Record<Grammar, UnitQuery>> = {
  bash,
  c,
  "c-sharp": csharp,
  cpp,
  elixir,
  go,
  haskell,
  hcl,
  java,
  javascript,
  kotlin,
  lua,
  php,
  python,
  ruby,
  rust,
  scala,
  swift,
  tsx,
  typescript,
  zig,
};
