// Adds the session that published a skill, NULL where a person did so without one: only its runs overwrite the skill.

export const skillSessionSchema = (): string[] => [`ALTER TABLE skills ADD COLUMN session_id TEXT`];
