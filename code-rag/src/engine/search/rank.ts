/**
 * Rules that put the unit a reader means before the units that merely mention it. They work on a few hundred
 * candidates, so they may look at names and paths word by word.
 *
 * Each rule multiplies the fused score: definitions; the query's words in the unit's name, the file's name, its
 * directories; other good units in the same file; and the file's role, unless the query asks for that role.
 */

import { splitIdentifier } from "../tokenize/identifier.ts";
import { terms } from "../tokenize/tokens.ts";
import type { Candidate } from "./candidates.ts";
import type { Fused } from "./fuse.ts";
import type { TermStatistics } from "./match-expression.ts";
import type { Query } from "./query.ts";
import type { RankWeights } from "./weights.ts";

export interface Ranked {
  readonly candidate: Candidate;
  readonly score: number;
  /** Why it stands here, in words for a reader. */
  readonly why: readonly string[];
}

const NOT_DEFINITIONS: ReadonlySet<string> = new Set(["code", "text", "section", "metadata", "statement", "block"]);

/** What a bare name most likely means. */
const TYPES: ReadonlySet<string> = new Set([
  "class",
  "struct",
  "interface",
  "trait",
  "enum",
  "type",
  "module",
  "record",
  "object",
  "actor",
  "namespace",
]);

/** What opens something that is defined elsewhere, perhaps in every file: its name tells little. */
const OPENERS: ReadonlySet<string> = new Set(["namespace", "extension", "impl"]);

/** Words with which a query asks for files of a role. */
const ASKS_FOR: Readonly<Record<string, RegExp>> = {
  test: /^(?:tests?|testing|specs?|fixtures?|mocks?)$/,
  example: /^(?:examples?|samples?|demos?|tutorials?|bench\w*)$/,
  docs: /^(?:docs?|documentation|readme|guides?|changelog|install\w*|tutorials?)$/,
  config: /^(?:config\w*|settings?|ya?ml|toml|docker\w*|makefile|ci|workflows?)$/,
  typing: /^(?:typings?|types?|stubs?|d\.ts)$/,
  vendored: /^(?:vendor\w*)$/,
  generated: /^(?:generated)$/,
  barrel: /^(?:index|init|exports?|__init__)$/,
};

export interface RankInput {
  readonly query: Query;
  readonly statistics: readonly TermStatistics[];
  readonly found: readonly Fused[];
  readonly candidates: ReadonlyMap<number, Candidate>;
  readonly weights: RankWeights;
}

/** Candidates in their final order: at most `maxPerFile` for each file, best first. */
export function rank(input: RankInput): Ranked[] {
  const { query, weights } = input;
  const overlap = overlapWith(query, input.statistics);
  const lifts = { overlap, pathLift: pathLiftWith(overlap, weights), asked: rolesAskedFor(query) };
  const scored: Scored[] = [];
  for (const entry of input.found) {
    const candidate = input.candidates.get(entry.chunkId);
    if (candidate) scored.push(scoreOne(query, candidate, entry, lifts, weights));
  }
  return spread(agree(bestOfUnit(scored), weights), weights);
}

interface Scored {
  readonly candidate: Candidate;
  score: number;
  readonly why: string[];
}

/** How a name's words and the query's words meet. */
interface Overlap {
  /** Share of the query, weighted by rarity, that the name covers. A prefix of a longer word counts half. */
  readonly share: number;
  /** The query has every word of the name. */
  readonly whole: boolean;
}

type OverlapOf = (words: readonly string[]) => Overlap;

function overlapWith(query: Query, statistics: readonly TermStatistics[]): OverlapOf {
  const rarity = new Map(statistics.map((entry) => [entry.term, entry.weight]));
  const wanted = query.terms
    .map((term) => ({ term, weight: rarity.get(term) ?? 0 }))
    .filter((entry) => entry.weight > 0);
  const total = wanted.reduce((sum, entry) => sum + entry.weight, 0);
  const asked = new Set(query.terms);
  return (words) => {
    if (total === 0 || words.length === 0) return { share: 0, whole: false };
    let covered = 0;
    for (const { term, weight } of wanted) {
      if (words.includes(term)) covered += weight;
      else if (words.some((word) => isLongPrefix(word, term))) covered += weight / 2;
    }
    // The compound of several words counts as covered when its words are.
    const own = words.length > 1 ? words.slice(0, -1) : words;
    return { share: covered / total, whole: own.every((word) => asked.has(word)) };
  };
}

function isLongPrefix(a: string, b: string): boolean {
  return (a.length >= 4 && b.startsWith(a)) || (b.length >= 4 && a.startsWith(b));
}

/** What the rules ask about a query, again and again. */
interface QueryLifts {
  readonly overlap: OverlapOf;
  readonly pathLift: (path: string) => PathLift;
  readonly asked: ReadonlySet<string>;
}

interface PathLift {
  readonly lift: number;
  readonly byName: boolean;
}

/** What a file's path adds for this query: worked out once a file, though many candidates are in it. */
function pathLiftWith(overlap: OverlapOf, weights: RankWeights): (path: string) => PathLift {
  const known = new Map<string, PathLift>();
  return (path) => {
    const before = known.get(path);
    if (before) return before;
    const { stem, directories } = pathWords(path);
    const ofStem = overlap(stem);
    const lift =
      weights.stemCover * ofStem.share +
      weights.directoryCover * overlap(directories).share +
      (ofStem.whole ? weights.wholeStem * Math.sqrt(ofStem.share) : 0);
    const found = { lift, byName: ofStem.share > 0 };
    known.set(path, found);
    return found;
  };
}

function scoreOne(
  query: Query,
  candidate: Candidate,
  entry: Fused,
  { overlap, pathLift, asked }: QueryLifts,
  weights: RankWeights,
): Scored {
  const why = [...entry.foundBy];
  let lift = 1;
  const isDefinition = !NOT_DEFINITIONS.has(candidate.kind);
  if (isDefinition) {
    const own = overlap(terms(candidate.name));
    const qualified = candidate.symbol === candidate.name ? own : overlap(terms(candidate.symbol));
    lift += weights.definition + weights.nameCover * qualified.share;
    if (own.whole)
      lift += weights.wholeName * Math.sqrt(own.share) * (TYPES.has(candidate.kind) ? weights.typeFactor : 1);
    if (own.share > 0) why.push("name");
    if (!OPENERS.has(candidate.kind) && isNamed(query, candidate.name)) {
      lift += weights.exactName * (TYPES.has(candidate.kind) ? weights.typeFactor : 1);
      why.push("definition of a name in the query");
    }
  }
  const ofPath = pathLift(candidate.path);
  lift += ofPath.lift;
  if (ofPath.byName) why.push("file name");
  const factor = asked.has(candidate.role) ? 1 : (weights.roles[candidate.role] ?? 1);
  return { candidate, score: entry.score * lift * factor, why };
}

function isNamed({ names }: Query, name: string): boolean {
  return names.length > 0 && names.includes(splitIdentifier(name).join(""));
}

/** Roles of files that the query asks for. */
function rolesAskedFor(query: Query): ReadonlySet<string> {
  const words = [...query.words];
  const asked = Object.entries(ASKS_FOR).filter(([, pattern]) => words.some((word) => pattern.test(word)));
  return new Set(asked.map(([role]) => role));
}

const ENTRY_NAMES: ReadonlySet<string> = new Set(["mod", "index", "__init__", "main", "lib", "init"]);

interface PathWords {
  readonly stem: readonly string[];
  readonly directories: readonly string[];
}

const pathCache = new Map<string, PathWords>();

function pathWords(path: string): PathWords {
  const known = pathCache.get(path);
  if (known) return known;
  const parts = path.split("/");
  let name = (parts.pop() ?? "").replace(/\.[^.]+$/, "");
  // `routing/mod.rs` and `router/index.ts` are called after their directory.
  if (ENTRY_NAMES.has(name) && parts.length > 0) name = parts.pop() as string;
  const words = { stem: terms(name), directories: terms(parts.join("/")) };
  if (pathCache.size > 20_000) pathCache.clear();
  pathCache.set(path, words);
  return words;
}

/** Windows of one unit are one result: the best of them. */
function bestOfUnit(scored: readonly Scored[]): Scored[] {
  const best = new Map<number, Scored>();
  for (const entry of scored) {
    const before = best.get(entry.candidate.unitId);
    if (!before || before.score < entry.score) best.set(entry.candidate.unitId, entry);
  }
  return [...best.values()];
}

/** A file with several good units is more likely what is meant: its best unit is lifted by the others. */
function agree(scored: readonly Scored[], weights: RankWeights): Scored[] {
  const byFile = new Map<number, Scored[]>();
  for (const entry of scored) {
    const file = byFile.get(entry.candidate.fileId);
    if (file) file.push(entry);
    else byFile.set(entry.candidate.fileId, [entry]);
  }
  for (const entries of byFile.values()) {
    entries.sort((a, b) => b.score - a.score);
    const [best, ...others] = entries as [Scored, ...Scored[]];
    const support = others.slice(0, 8).reduce((sum, entry, index) => sum + entry.score / (index + 2), 0);
    if (others.length > 1 && support > best.score / 3) best.why.push("several matches in the file");
    best.score += weights.agreement * support;
  }
  return [...byFile.values()].flat();
}

/** Later results of one file give way to other files. */
function spread(scored: readonly Scored[], weights: RankWeights): Ranked[] {
  const ordered = [...scored].sort((a, b) => b.score - a.score || a.candidate.chunkId - b.candidate.chunkId);
  const taken = new Map<number, number>();
  const result: Scored[] = [];
  for (const entry of ordered) {
    const before = taken.get(entry.candidate.fileId) ?? 0;
    if (before >= weights.maxPerFile) continue;
    taken.set(entry.candidate.fileId, before + 1);
    result.push({ ...entry, score: entry.score * weights.sameFile ** before });
  }
  return result.sort((a, b) => b.score - a.score || a.candidate.chunkId - b.candidate.chunkId);
}
