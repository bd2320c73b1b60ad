// Adds the seal of the end of a session's log: written with every event, NULL in sessions of version 0.1 until the server
// has started once.

export const headMacSchema = (): string[] => [`ALTER TABLE sessions ADD COLUMN head_mac TEXT`];
