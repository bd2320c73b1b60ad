// Adds how much a session has stored on its last day, which limits what one session may store in a day.

export const sessionBytesSchema = (): string[] => [
  `ALTER TABLE sessions ADD COLUMN bytes_day INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE sessions ADD COLUMN bytes_stored BIGINT NOT NULL DEFAULT 0`,
];
