// Lists where single agents differ from the others, by the name that they give themselves. Data only. What can be told from
// the shape of a request alone needs no entry: questions asked as a permission, a field for own words beside a choice.
export interface Quirks {
  /** A call that runs a command has the command as its title, and no input. */
  isCommandInTitle?: true;
  /** The mode in which it asks before it acts: in the one that it begins with, it decides that by itself. */
  askingMode?: string;
  /** It reads a file through its client before it writes a new one, and takes every error for a failure. */
  readsMissingFiles?: true;
}

const QUIRKS: Readonly<Record<string, Quirks>> = {
  'gemini-cli': { isCommandInTitle: true, readsMissingFiles: true },
  'qwen-code': { askingMode: 'default' },
};

export const quirksOf = (agentName: string | undefined): Quirks => QUIRKS[agentName ?? ''] ?? {};
