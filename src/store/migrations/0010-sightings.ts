// Who has seen an ask, beside it: written under the session's lock, read with the ask at no cost, NULL until somebody has.

export const sightingSchema = (): string[] => [`ALTER TABLE asks ADD COLUMN seen_by TEXT`];
