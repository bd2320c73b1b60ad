// Adds labels, which decide where work may run. A run has the labels of its session, because workers claim by them.

export const labelSchema = (): string[] => [
  `ALTER TABLE sessions ADD COLUMN labels TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE runs ADD COLUMN labels TEXT NOT NULL DEFAULT ''`,
  `DROP INDEX runs_claimable`,
  `CREATE INDEX runs_claimable ON runs (agent, labels, n)
    WHERE status IN ('queued', 'running') AND lease_worker IS NULL AND agent <> 'external'`,
];
