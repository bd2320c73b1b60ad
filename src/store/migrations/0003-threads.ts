// Drops the items: threads are folded from the events. In the place of their count a session counts the answers kept for
// an agent whose worker was lost before delivery. A run stores the permissions of the worker that claimed it.

export const threadSchema = (): string[] => [
  `DROP TABLE items`,
  `ALTER TABLE sessions RENAME COLUMN item_count TO kept_count`,
  `UPDATE sessions SET kept_count = 0`,
  `ALTER TABLE runs ADD COLUMN permissions TEXT`,
];
