// Threads are folded from the events: items are no longer kept beside them, nor counted. In the place of that count a
// session counts the answers kept for an agent that was lost before it had them. A run keeps the permissions of the
// worker that took it.

export const threadSchema = (): string[] => [
  `DROP TABLE items`,
  `ALTER TABLE sessions RENAME COLUMN item_count TO kept_count`,
  `UPDATE sessions SET kept_count = 0`,
  `ALTER TABLE runs ADD COLUMN permissions TEXT`,
];
