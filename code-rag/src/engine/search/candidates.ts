import type { FileRole } from "../files/role.ts";
import type { SqlDriver } from "../ports.ts";
import type { UnitKind } from "../units/unit.ts";

/** A chunk with what ranking needs to know about its unit and its file. */
export interface Candidate {
  readonly chunkId: number;
  readonly unitId: number;
  readonly fileId: number;
  /** Below its root. */
  readonly path: string;
  readonly role: FileRole;
  readonly kind: UnitKind;
  readonly name: string;
  readonly symbol: string;
  /** Lines of this chunk. */
  readonly startLine: number;
  readonly endLine: number;
}

/** Facts about chunks, by id. A chunk that is gone by now is left out. */
export function loadCandidates(sql: SqlDriver, chunkIds: readonly number[]): Map<number, Candidate> {
  const rows = sql.all<Candidate>(
    `SELECT c.id AS chunkId, u.id AS unitId, f.id AS fileId, f.path, f.role, u.kind, u.name, u.symbol,
       c.start_line AS startLine, c.end_line AS endLine
     FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
     JOIN units u ON u.id = c.unit_id JOIN files f ON f.id = c.file_id`,
    JSON.stringify(chunkIds),
  );
  return new Map(rows.map((row) => [row.chunkId, row]));
}
