/** The unit query of each grammar. */

import type { Grammar } from "../languages.ts";
import type { UnitQuery } from "../unit-query.ts";
import { bash } from "./bash.ts";
import { c } from "./c.ts";
import { cpp } from "./cpp.ts";
import { csharp } from "./csharp.ts";
import { go } from "./go.ts";
import { hcl } from "./hcl.ts";
import { java } from "./java.ts";
import { javascript } from "./javascript.ts";
import { kotlin } from "./kotlin.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import { scala } from "./scala.ts";
import { swift } from "./swift.ts";
import { tsx, typescript } from "./typescript.ts";

export const UNIT_QUERIES: Readonly<Record<Grammar, UnitQuery>> = {
  bash,
  c,
  "c-sharp": csharp,
  cpp,
  go,
  hcl,
  java,
  javascript,
  kotlin,
  php,
  python,
  ruby,
  rust,
  scala,
  swift,
  tsx,
  typescript,
};
