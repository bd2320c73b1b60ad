// Adds an index by position: the newest outputs of a run are read with every view of it.

export const outputOrderSchema = (): string[] => [`CREATE INDEX outputs_order ON outputs (run_id, position)`];
