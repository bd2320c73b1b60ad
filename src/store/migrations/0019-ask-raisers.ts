// Adds which side raised an ask: the worker under its lease, or the agent with a token of its own.

export const askRaiserSchema = (): string[] => [`ALTER TABLE asks ADD COLUMN raised_by TEXT`];
