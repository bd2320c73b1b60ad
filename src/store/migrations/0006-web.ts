// Adds what browsers need: single-use sign-in links, tokens in cookies, and drafts of answers.

export const webSchema = (): string[] => [
  `ALTER TABLE tokens ADD COLUMN kind TEXT NOT NULL DEFAULT 'bearer'`,
  `CREATE TABLE sign_in_links (
    hash TEXT PRIMARY KEY, scope TEXT NOT NULL, name TEXT, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    used_at BIGINT)`,
  `CREATE TABLE drafts (
    ask_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, content TEXT NOT NULL, saved_at BIGINT NOT NULL,
    saved_by TEXT NOT NULL)`,
];
