// Adds the state that a dispatch leaves for the dispatch that resumes it: read once, when that one is claimed.

export const partialStateSchema = (): string[] => [
  `CREATE TABLE partial_states (ask_id TEXT PRIMARY KEY, state TEXT NOT NULL)`,
];
