/**
 * Every number of the ranking, in one place. They were chosen on a part of the tuning queries and checked on the rest
 * (`docs/retrieval.md` has the figures, and what was tried and dropped).
 */

export interface RankWeights {
  /** bm25 column weights (names, path, doc, body), by shape of the query. */
  readonly columns: Readonly<Record<"symbol" | "natural", readonly [number, number, number, number]>>;
  /** How lists are joined, by shape of the query (`fuse.ts`), and the constant of reciprocal rank fusion. */
  readonly fusion: Readonly<Record<"symbol" | "natural", "ranks" | "scores">>;
  readonly fusionK: number;
  /** Weight of each list, by shape of the query. */
  readonly lists: Readonly<Record<"symbol" | "natural", { lexical: number; names: number; semantic: number }>>;
  /** How much the covered share of the query lifts a candidate: by the unit's name, the file's stem, its directories. */
  readonly nameCover: number;
  readonly stemCover: number;
  readonly directoryCover: number;
  /** Lift where the query has every word of the unit's own name, or of the file's; by the root of the covered share. */
  readonly wholeName: number;
  readonly wholeStem: number;
  /** Factor on lifts by name for classes, traits and other types: what a bare name most likely means. */
  readonly typeFactor: number;
  /** Lift of a unit whose name is exactly a name in the query. */
  readonly exactName: number;
  /** Lift of a unit that defines something, by kind. */
  readonly definition: number;
  /** Share of the scores of a file's other candidates that is added to its best one. */
  readonly agreement: number;
  /** Factor for the second, third … result of one file. */
  readonly sameFile: number;
  readonly maxPerFile: number;
  readonly roles: Readonly<Record<string, number>>;
}

export const DEFAULT_WEIGHTS: RankWeights = {
  columns: { symbol: [1, 1, 1, 1], natural: [2, 1, 1, 1] },
  fusion: { symbol: "ranks", natural: "scores" },
  fusionK: 40,
  lists: {
    symbol: { lexical: 1, names: 1, semantic: 0.2 },
    natural: { lexical: 1, names: 0, semantic: 1 },
  },
  nameCover: 0.4,
  stemCover: 2,
  directoryCover: 0.3,
  wholeName: 0.6,
  wholeStem: 2,
  typeFactor: 2,
  exactName: 3,
  definition: 0.15,
  agreement: 0.3,
  sameFile: 0.32,
  maxPerFile: 3,
  roles: {
    source: 1,
    barrel: 0.7,
    typing: 0.6,
    test: 0.5,
    example: 0.4,
    vendored: 0.5,
    generated: 0.4,
    docs: 0.5,
    config: 0.7,
    data: 0.5,
  },
};
