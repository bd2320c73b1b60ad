// Finds open runs by indexes that do not name their status. With it in an index, PostgreSQL made a new entry in every index
// of the table for each change from running to waiting and back.

export const openRunSchema = (): string[] => [
  `DROP INDEX runs_queued`,
  `CREATE INDEX runs_queued ON runs (session_id, queue_order, n) WHERE finished_at IS NULL`,
  `DROP INDEX runs_claimable`,
  `CREATE INDEX runs_claimable ON runs (agent, labels, n)
    WHERE finished_at IS NULL AND lease_worker IS NULL AND agent <> 'external'`,
  `DROP INDEX runs_expiring`,
  `CREATE INDEX runs_expiring ON runs (clarification_expires_at)
    WHERE finished_at IS NULL AND clarification_expires_at IS NOT NULL`,
];
