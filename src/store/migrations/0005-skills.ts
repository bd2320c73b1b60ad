// Adds published skills. A zip is stored as base 64, which every dialect has a column for.
import type { ColumnKinds } from '../schema.ts';

export const skillSchema = ({ position }: ColumnKinds): string[] => [
  `CREATE TABLE skills (
    n ${position}, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, namespace TEXT NOT NULL, description TEXT NOT NULL,
    version TEXT, sha256 TEXT NOT NULL, size INTEGER NOT NULL, author TEXT NOT NULL, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, UNIQUE (namespace, name))`,
  `CREATE TABLE skill_archives (skill_id TEXT PRIMARY KEY, zip TEXT NOT NULL)`,
  `CREATE INDEX tokens_name ON tokens (name)`,
];
