// The newest outputs of a run are read with every view of it: by their order, however many came before.

export const outputOrderSchema = (): string[] => [`CREATE INDEX outputs_order ON outputs (run_id, position)`];
