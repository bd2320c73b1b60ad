// Adds the rules of a session, which come after those of the organisation.

export const sessionRuleSchema = (): string[] => [`ALTER TABLE sessions ADD COLUMN rules TEXT`];
