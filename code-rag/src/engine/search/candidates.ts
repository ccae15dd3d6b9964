import type { FileRole } from "../files/role.ts";
import type { SqlDriver } from "../ports.ts";
import type { UnitKind } from "../units/unit.ts";

/** A chunk with what ranking and results need to know about its unit and its file. */
export interface Candidate {
  readonly chunkId: number;
  readonly unitId: number;
  readonly fileId: number;
  readonly rootId: number;
  readonly path: string;
  readonly language: string;
  readonly role: FileRole;
  readonly kind: UnitKind;
  readonly name: string;
  readonly symbol: string;
  readonly signature: string;
  /** Lines of the whole unit. */
  readonly unitStart: number;
  readonly unitEnd: number;
  /** Lines of this chunk. */
  readonly startLine: number;
  readonly endLine: number;
  /** Position of this chunk in its unit; 0 for the only one. */
  readonly ordinal: number;
}

/** Facts about chunks, by id. A chunk that is gone by now is left out. */
export function loadCandidates(sql: SqlDriver, chunkIds: readonly number[]): Map<number, Candidate> {
  const rows = sql.all<Candidate>(
    `SELECT c.id AS chunkId, u.id AS unitId, f.id AS fileId, f.root_id AS rootId, f.path, f.language, f.role,
       u.kind, u.name, u.symbol, u.signature, u.start_line AS unitStart, u.end_line AS unitEnd,
       c.start_line AS startLine, c.end_line AS endLine, c.ordinal
     FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
     JOIN units u ON u.id = c.unit_id JOIN files f ON f.id = c.file_id`,
    JSON.stringify(chunkIds),
  );
  return new Map(rows.map((row) => [row.chunkId, row]));
}
