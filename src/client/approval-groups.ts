// Groups approvals that can be decided together, and splits a decision into one atomic batch for each run. Pure. Two
// approvals have the same shape when they name the same tool with the same fields, in the same folder, asked by the same
// sub-agents, with the same loud signs of risk and, for a command, with the same first words of each of its parts. Every member is still shown in full.
import type { ApprovalResolution } from '../core/answer.ts';
import type { AskView } from '../core/views.ts';
import { isQuestion } from './action-summary.ts';
import { fileChangeOf } from './file-change.ts';
import { type InboxEntry, isOpen } from './inbox-model.ts';
import { toneOf } from './risk-text.ts';

export interface ApprovalGroup {
  shape: string;
  tool: string;
  /** The first two words of each part of a command, where the tool runs one: a program and what it shall do; three of `npm run x`. */
  program: string | undefined;
  /** The folder in which every member runs. */
  folder: string | undefined;
  members: readonly AskView[];
}

export interface ApprovalBatch {
  runId: string;
  asks: AskView[];
  resolutions: ApprovalResolution[];
}

/** What is longer has a card of its own, which is read to its end. */
const MAX_CHARACTERS = 4000;

/** Undefined for what must be decided alone: a question, the change of a file, and what the input does not show (a plan). */
export function shapeOf(ask: AskView): string | undefined {
  const { request } = ask;
  if (isQuestion(request) || request.diff !== undefined || request.earlier) return undefined;
  const { tool_name, input, lineage = [] } = request;
  const fields = Object.keys(input).sort();
  const texts = request.files?.map(({ text }) => text);
  const length = JSON.stringify([input, texts]).length;
  if (fields.length === 0 || fileChangeOf(input) || length > MAX_CHARACTERS) return undefined;
  // One that touches production is not allowed along with those that do not.
  const loud = (ask.risk ?? []).filter((sign) => toneOf(sign) === 'bad').map(({ risk }) => risk);
  return JSON.stringify([tool_name, fields, programOf(input), folderOf(ask), lineage, loud]);
}

/** Where it runs. */
export const folderOf = ({ request, asked_from }: AskView): string | undefined =>
  (isQuestion(request) ? undefined : request.work_folder) ?? asked_from?.work_folder;

/** What follows names what it shall do. */
const RUNNER = /^(?:npm|pnpm|yarn|bun|deno) (?:run|run-script|task)$/;

/** A rough reading, good enough to group by: the person reads what would run. */
function programOf({ command }: Record<string, unknown>): string | undefined {
  if (typeof command !== 'string') return undefined;
  const parts = command.split(/&&|\|\||[;|&\n]|\$\(|`/);
  const words = parts.map((part) => {
    const all = part.trim().split(/\s+/);
    return all.slice(0, RUNNER.test(all.slice(0, 2).join(' ')) ? 3 : 2).join(' ');
  });
  return words.filter((first) => first !== '').join(', ');
}

/** Groups of two or more open approvals by shape, in the order of their oldest member. */
export function groupsOf(entries: readonly InboxEntry[]): ReadonlyMap<string, ApprovalGroup> {
  const open = entries.filter(isOpen).map(({ ask }) => ask);
  const groups = new Map<string, ApprovalGroup>();
  for (const [shape, members] of Map.groupBy(open, shapeOf)) {
    const [first] = members;
    if (shape === undefined || members.length < 2 || first?.kind !== 'approval') continue;
    const { tool_name: tool, input } = first.request;
    groups.set(shape, { shape, tool, program: programOf(input), folder: folderOf(first), members });
  }
  return groups;
}

/** The shape of the group that a person has put together. */
export const MARKED = 'selected';
export const markedGroupOf = (members: readonly AskView[]): ApprovalGroup => ({
  shape: MARKED,
  tool: '',
  program: undefined,
  folder: undefined,
  members,
});

export function batchesOf(asks: readonly AskView[], resolve: (ask: AskView) => ApprovalResolution): ApprovalBatch[] {
  const byRun = Map.groupBy(asks, (ask) => ask.run_id);
  return [...byRun].map(([runId, members]) => ({ runId, asks: members, resolutions: members.map(resolve) }));
}
