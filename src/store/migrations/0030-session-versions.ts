// Adds the version of a session, which moves with every change of it, its runs or its asks, and indexes the answers that a
// run is to carry by session.
import type { ColumnKinds } from '../schema.ts';

export const sessionVersionSchema = ({ versionTriggers }: ColumnKinds): string[] => [
  `ALTER TABLE sessions ADD COLUMN version BIGINT NOT NULL DEFAULT 0`,
  `DROP INDEX asks_to_hand_over`,
  `CREATE INDEX asks_carried_on ON asks (session_id, n) WHERE delivery = 'due' AND mode IN ('form', 'restart')`,
  ...versionTriggers,
];
