// Approvals of the same shape, to be decided together: pure. The same shape is the same tool with the same fields and,
// for a command, the same programs in the same order. Every member is shown in full; what is sent is one atomic batch for each run.
import type { ApprovalResolution } from '../../../src/core/answer.ts';
import type { AskView } from '../../../src/core/views.ts';
import { isQuestion } from '../text/ask-text.ts';
import type { Entry } from './inbox.ts';

export interface Group {
  shape: string;
  tool: string;
  /** The programs of a command, where the shape is one. */
  program: string | undefined;
  members: readonly AskView[];
}

export interface Batch {
  runId: string;
  resolutions: ApprovalResolution[];
}

/**
 * What two approvals must have in common to be decided together. Questions are answered one by one, and so is what the
 * input alone does not show: a plan, the change of a file that comes as a diff.
 */
export function shapeOf({ request }: AskView): string | undefined {
  if (isQuestion(request) || request.diff !== undefined) return undefined;
  const fields = Object.keys(request.input).sort();
  if (fields.length === 0) return undefined;
  return JSON.stringify([request.tool_name, fields, programOf(request.input)]);
}

/** Told apart roughly, to sort by: what runs is read by the person. */
function programOf({ command }: Record<string, unknown>): string | undefined {
  if (typeof command !== 'string') return undefined;
  const parts = command.split(/&&|\|\||[;|&\n]|\$\(|`/);
  return parts.flatMap((part) => /\S+/.exec(part) ?? []).join(', ');
}

/** Open groups of two or more, by shape, in the order of their oldest member. */
export function groupsOf(entries: readonly Entry[]): ReadonlyMap<string, Group> {
  const byShape = new Map<string, AskView[]>();
  for (const { ask, settledAtMs } of entries) {
    const shape = settledAtMs === undefined ? shapeOf(ask) : undefined;
    if (shape === undefined) continue;
    const members = byShape.get(shape);
    if (members) members.push(ask);
    else byShape.set(shape, [ask]);
  }
  const groups = new Map<string, Group>();
  for (const [shape, members] of byShape) {
    const [first] = members;
    if (members.length < 2 || !first || isQuestion(first.request)) continue;
    groups.set(shape, { shape, tool: first.request.tool_name, program: programOf(first.request.input), members });
  }
  return groups;
}

export function batchesOf(asks: readonly AskView[], behavior: 'allow' | 'deny', reason: string): Batch[] {
  const why = behavior === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {};
  const byRun = Map.groupBy(asks, (ask) => ask.run_id);
  return [...byRun].map(([runId, members]) => ({
    runId,
    resolutions: members.map((ask) => ({ request_id: ask.ask_id, behavior, ...why })),
  }));
}
