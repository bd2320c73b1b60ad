// Splits the input of an approval into the boxes that show it, and decides whether it is too long to render at once. Pure.
// Every field is in one of the parts; what is not understood is in a part of JSON.
import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';

type Input = ApprovalRequest['input'];

export interface ActionPart {
  /** The field; `input` for those that share a box. */
  key: string;
  text: string;
  language: 'bash' | 'json' | 'plain';
}

/** Longer texts are truncated at first. */
export const MAX_CHARACTERS = 20_000;
/** Longer diffs are truncated at first. */
export const MAX_LINES = 600;

/** Fields of the file change are left out: the diff shows them. Short fields share one box of JSON. */
export function partsOf(input: Input): ActionPart[] {
  const parts: ActionPart[] = [];
  const rest: Input = {};
  const changed = new Set(fileChangeOf(input)?.keys);
  for (const [key, value] of Object.entries(input)) {
    if (key === 'command' && typeof value === 'string') parts.unshift({ key, text: value, language: 'bash' });
    else if (changed.has(key)) continue;
    else if (typeof value === 'string' && value.includes('\n')) parts.push({ key, text: value, language: 'plain' });
    else rest[key] = value;
  }
  if (Object.keys(rest).length > 0 || (parts.length === 0 && changed.size === 0))
    parts.push({ key: 'input', text: JSON.stringify(rest, undefined, 2), language: 'json' });
  return parts;
}

/** A part of it is truncated until the person asks for all of it. */
export function isLong({ input, diff }: Pick<ApprovalRequest, 'input' | 'diff'>): boolean {
  const changes = fileChangeOf(input)?.changes.flatMap(({ before, after }) => [before, after]) ?? [];
  return (
    partsOf(input).some(({ text }) => text.length > MAX_CHARACTERS) ||
    [...changes, diff ?? ''].some((text) => text.split('\n', MAX_LINES + 1).length > MAX_LINES)
  );
}

const NO_FILE = '/dev/null';

/** The files that a unified diff names; of a file that is created or deleted only one name exists. */
export function filesOfDiff(diff: string): string {
  const names = [...diff.matchAll(/^--- (?:a\/)?(.+)\n\+\+\+ (?:b\/)?(.+)$/gm)].map(([, before = '', after = '']) =>
    after === NO_FILE ? before : after,
  );
  return names.length > 0 ? names.join(', ') : 'change';
}
