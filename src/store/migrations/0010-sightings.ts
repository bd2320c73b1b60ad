// Adds who has seen an ask: written under the session's lock, read with the ask, NULL until a person has seen it.

export const sightingSchema = (): string[] => [`ALTER TABLE asks ADD COLUMN seen_by TEXT`];
