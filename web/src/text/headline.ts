// Words the headline of an approval: what would be done, and to what. Pure; the text is the agent's own, and hidden
// characters in it are marked by what draws it.
import { isPlan } from '../../../src/client/action-summary.ts';
import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { diffFiles } from './diff-files.ts';

export interface Headline {
  icon: 'command' | 'edit' | 'plan' | 'read' | 'web' | 'tool';
  /** Words of ours, or the name of a tool that is not known. */
  verb: string;
  isToolName: boolean;
  /** What it acts on, where one short text says it, and the field of the input that it is. */
  object: string;
  key?: string | undefined;
}

type Action = Pick<ApprovalRequest, 'tool_name' | 'input' | 'diff'> & Partial<Pick<ApprovalRequest, 'reason'>>;

/** Tools of known agents that run a command in a shell of this machine. */
const SHELLS = /^(?:bash|shell|local_shell|exec_command|exec|run_command|terminal|execute)$/i;
const MAX_OBJECT_CHARACTERS = 200;

export function headlineOf(request: ApprovalRequest): Headline {
  if (isPlan(request)) return { icon: 'plan', verb: 'Approve this plan?', isToolName: false, object: '' };
  return actionHeadline(request);
}

function actionHeadline({ tool_name, input, diff }: Action): Headline {
  const own = { isToolName: false };
  const named = { verb: tool_name, isToolName: true };
  if (typeof input.command === 'string')
    return SHELLS.test(tool_name)
      ? { icon: 'command', verb: 'Run command', ...own, object: '' }
      : { icon: 'command', ...named, object: '' };
  const change = fileChangeOf(input);
  if (change)
    return {
      icon: 'edit',
      verb: change.keys.includes('content') ? 'Write' : 'Edit',
      ...own,
      object: short(change.file),
    };
  if (diff !== undefined) {
    const files = diffFiles(diff);
    const [only] = files;
    if (files.length === 1 && only) return { icon: 'edit', verb: only.verb, ...own, object: short(only.name) };
    return {
      icon: 'edit',
      verb: files.length > 1 ? `Change ${files.length} files` : 'Change files',
      ...own,
      object: '',
    };
  }
  const key = NAMING_FIELDS.find((name) => short(input[name]) !== '');
  return { icon: iconOf(key), ...named, object: key === undefined ? '' : short(input[key]), key };
}

const NAMING_FIELDS = ['url', 'file_path', 'notebook_path', 'path', 'query', 'pattern'];
const iconOf = (key: string | undefined): Headline['icon'] => {
  if (key === 'url') return 'web';
  return key?.endsWith('path') ? 'read' : 'tool';
};

/** A long one is among the fields, whole. */
const short = (text: unknown): string =>
  typeof text === 'string' && text.length <= MAX_OBJECT_CHARACTERS && !text.includes('\n') ? text : '';
