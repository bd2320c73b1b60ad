// Adds what a worker token may do: the labels it is bound to, who created a session, and which token holds a lease.

export const workerRightsSchema = (): string[] => [
  `ALTER TABLE tokens ADD COLUMN labels TEXT`,
  `ALTER TABLE tokens ADD COLUMN is_built_in INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE sessions ADD COLUMN made_by TEXT`,
  `ALTER TABLE runs ADD COLUMN lease_holder TEXT`,
];
