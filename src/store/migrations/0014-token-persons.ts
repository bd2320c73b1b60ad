// Adds whom a token belongs to, where its name alone does not say so. Existing tokens, drafts and skills belong to their name.

export const tokenPersonSchema = (): string[] => [`ALTER TABLE tokens ADD COLUMN person TEXT`];
