// Words the headline of an approval: what would be done, and to what. Pure; the text is the agent's own, and hidden
// characters in it are marked by what draws it.
import { isPlan } from '../../../src/client/action-summary.ts';
import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { type ActionKind, kindOf, NAMING_FIELDS } from './action-kind.ts';
import { diffFiles } from './diff-files.ts';

export interface Headline {
  icon: ActionKind;
  /** Words of ours, or the name of a tool that is not known. */
  verb: string;
  isToolName: boolean;
  /** What it acts on, where one short text says it, and the field of the input that it is. */
  object: string;
  key?: string | undefined;
}

/** Tools of known agents that run a command in a shell of this machine. */
const SHELLS = /^(?:bash|shell|local_shell|exec_command|exec|run_command|terminal|execute)$/i;
const MAX_OBJECT_CHARACTERS = 200;

export function headlineOf(request: ApprovalRequest): Headline {
  const { tool_name, input, diff } = request;
  const own = { icon: kindOf(request), isToolName: false };
  const named = { icon: own.icon, verb: tool_name, isToolName: true };
  if (isPlan(request)) return { ...own, verb: 'Approve this plan?', object: '' };
  if (own.icon === 'command')
    return SHELLS.test(tool_name) ? { ...own, verb: 'Run command', object: '' } : { ...named, object: '' };
  const change = fileChangeOf(input);
  if (change) return { ...own, verb: change.keys.includes('content') ? 'Write' : 'Edit', object: short(change.file) };
  if (diff !== undefined) {
    const files = diffFiles(diff);
    const [only] = files;
    if (files.length === 1 && only) return { ...own, verb: only.verb, object: short(only.name) };
    return { ...own, verb: files.length > 1 ? `Change ${files.length} files` : 'Change files', object: '' };
  }
  const key = NAMING_FIELDS.find((name) => short(input[name]) !== '');
  return { ...named, object: key === undefined ? '' : short(input[key]), key };
}

/** A long one is among the fields, whole. */
const short = (text: unknown): string =>
  typeof text === 'string' && text.length <= MAX_OBJECT_CHARACTERS && !text.includes('\n') ? text : '';
