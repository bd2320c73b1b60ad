// Gives every person a draft of their own: two people who answer one ask do not overwrite each other.

export const ownDraftSchema = (): string[] => [
  `CREATE TABLE own_drafts (
    ask_id TEXT NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL, saved_at BIGINT NOT NULL,
    saved_by TEXT NOT NULL, PRIMARY KEY (ask_id, saved_by))`,
  `INSERT INTO own_drafts (ask_id, revision, content, saved_at, saved_by)
    SELECT ask_id, revision, content, saved_at, saved_by FROM drafts`,
  `DROP TABLE drafts`,
  `ALTER TABLE own_drafts RENAME TO drafts`,
];
