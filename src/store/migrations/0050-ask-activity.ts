// Adds comments, who is on it and a snooze to an ask: written under the session's lock, NULL until someone does something.

export const askActivitySchema = (): string[] => [`ALTER TABLE asks ADD COLUMN activity TEXT`];
