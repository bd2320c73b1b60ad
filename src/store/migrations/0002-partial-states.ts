// What a dispatch leaves for the one that carries on, beside its ask: read once, when that dispatch is claimed.

export const partialStateSchema = (): string[] => [
  `CREATE TABLE partial_states (ask_id TEXT PRIMARY KEY, state TEXT NOT NULL)`,
];
