// Splits the input of an approval into what shows it: boxes for commands and long texts, named fields for the rest; and
// decides whether it is too long to render at once. Pure. Every field of the input is in one of the parts.
import { fileChangeOf } from '../../../src/client/file-change.ts';
import { duration } from '../../../src/client/times.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';

type Input = ApprovalRequest['input'];

export interface ActionBox {
  key: string;
  text: string;
  language: 'bash' | 'json' | 'plain';
}

export interface ActionField {
  key: string;
  /** The key in plain words, where it is a known one. */
  label: string;
  text: string;
}

export interface ActionParts {
  boxes: ActionBox[];
  fields: ActionField[];
}

/** Longer texts are truncated at first. */
export const MAX_CHARACTERS = 20_000;
/** Longer diffs are truncated at first. */
export const MAX_LINES = 600;
/** Longer values have a box of their own. */
const MAX_FIELD_CHARACTERS = 400;

/** Fields of the file change are left out: the diff shows them. */
export function partsOf(input: Input): ActionParts {
  const boxes: ActionBox[] = [];
  const fields: ActionField[] = [];
  const changed = new Set(fileChangeOf(input)?.keys);
  for (const [key, value] of Object.entries(input)) {
    if (changed.has(key)) continue;
    const isText = typeof value === 'string';
    const text = isText ? value : valueText(key, value);
    if (key === 'command' && isText) boxes.unshift({ key, text, language: 'bash' });
    else if (isText && (text.includes('\n') || text.length > MAX_FIELD_CHARACTERS))
      boxes.push({ key, text, language: 'plain' });
    else if (!isText && text.length > MAX_FIELD_CHARACTERS)
      boxes.push({ key, text: JSON.stringify(value, undefined, 2), language: 'json' });
    else fields.push({ key, label: LABELS[key] ?? key, text });
  }
  return { boxes, fields };
}

const LABELS: Record<string, string> = {
  file_path: 'File',
  notebook_path: 'Notebook',
  path: 'Path',
  file: 'File',
  url: 'URL',
  prompt: 'Prompt',
  query: 'Query',
  pattern: 'Pattern',
  glob: 'Files',
  timeout: 'Timeout',
  timeout_ms: 'Timeout',
  description: 'Description',
  explanation: 'Explanation',
  cwd: 'Folder',
  workdir: 'Folder',
  run_in_background: 'In the background',
  replace_all: 'Replace every occurrence',
  offset: 'From line',
  limit: 'Lines',
  subagent_type: 'Sub-agent',
};

const TIMEOUT = /^timeout(?:_ms)?$/;

function valueText(key: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && TIMEOUT.test(key) && value >= 1000) return `${value} ms (${duration(value)})`;
  return JSON.stringify(value) ?? 'undefined';
}

/** A part of it is truncated until the person asks for all of it: the lines of several changes count together. */
export function isLong({ input, diff }: Pick<ApprovalRequest, 'input' | 'diff'>): boolean {
  const changes = fileChangeOf(input)?.changes ?? [];
  const lines = changes.reduce((sum, { before, after }) => sum + Math.max(lineCount(before), lineCount(after)), 0);
  return (
    partsOf(input).boxes.some(({ text }) => text.length > MAX_CHARACTERS) ||
    Math.max(lines, lineCount(diff ?? '')) > MAX_LINES
  );
}

const lineCount = (text: string): number => text.split('\n', MAX_LINES + 1).length;
