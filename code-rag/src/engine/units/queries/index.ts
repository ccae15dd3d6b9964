/** The unit query of each grammar. */

import type { Grammar } from "../languages.ts";
import type { UnitQuery } from "../unit-query.ts";
import { c } from "./c.ts";
import { cpp } from "./cpp.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { javascript } from "./javascript.ts";
import { python } from "./python.ts";
import { rust } from "./rust.ts";
import { tsx, typescript } from "./typescript.ts";

export const UNIT_QUERIES = { c, cpp, go, java, javascript, python, rust, tsx, typescript } as Record<
  Grammar,
  UnitQuery
>;
