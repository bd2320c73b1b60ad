// Adds grants: what people allow in advance by answering "always". Most look-ups ask for a target.
import type { ColumnKinds } from '../schema.ts';

export const grantSchema = ({ position }: ColumnKinds): string[] => [
  `CREATE TABLE grants (
    n ${position}, id TEXT NOT NULL UNIQUE, ask_id TEXT NOT NULL, session_id TEXT NOT NULL, scope TEXT NOT NULL,
    target TEXT NOT NULL, work_folder TEXT, tool TEXT NOT NULL, matches TEXT, files TEXT, uses INTEGER NOT NULL,
    most_uses INTEGER, expires_at BIGINT, given_by TEXT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT,
    revoked_by TEXT)`,
  `CREATE INDEX grants_target ON grants (target) WHERE revoked_at IS NULL`,
  `CREATE INDEX grants_session ON grants (session_id)`,
];
